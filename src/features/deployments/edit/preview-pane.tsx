import { RefreshCw, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import { IconButton } from '../../../components/icon-button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { extensionOf } from '../../../lib/texts.ts';
import type { Preview } from './use-preview.ts';

export type PreviewPaneProps = { preview: Preview; active: string | null; onClose: () => void };

/**
 * Shows the site as it would be, in a frame. It is on an origin of its own, so `allow-same-origin` gives it its own
 * storage and nothing of ours.
 */
export function PreviewPane({ preview, active, onClose }: PreviewPaneProps) {
  const { url, version, isBusy, problem, refresh } = preview;
  const page = useRef('');
  // This is the edited page, or the drawing, which is a text beside its picture; for a style or a script, the previous
  // page.
  if (active !== null && ['html', 'htm', 'svg'].includes(extensionOf(active))) page.current = active;
  const path = page.current === 'index.html' ? '' : page.current.split('/').map(encodeURIComponent).join('/');
  return (
    <section aria-label="Preview" className="flex min-h-0 min-w-0 flex-col border-line md:border-l">
      <div className="flex h-control shrink-0 items-center gap-0.5 border-b border-line bg-surface-sunken pr-1 pl-3">
        <h2 className="text-sm font-medium">Preview</h2>
        <p role="status" className="mr-auto truncate pl-2 text-sm text-ink-muted">
          {isBusy ? 'Updating…' : 'Not published'}
        </p>
        <IconButton label="Refresh the preview" disabled={isBusy} onClick={refresh}>
          <RefreshCw />
        </IconButton>
        <IconButton label="Close the preview" className="max-md:hidden" onClick={onClose}>
          <X />
        </IconButton>
        {/* In a narrow window nothing else is in sight. */}
        <Button variant="quiet" size="sm" className="md:hidden" onClick={onClose}>
          Back to the {active === null ? 'files' : 'code'}
        </Button>
      </div>
      {problem !== null && (
        <Notice tone="bad" className="m-3">
          {problem}
        </Notice>
      )}
      {url !== null && (
        <iframe
          key={version}
          title="The site with your changes"
          src={`${url}/${path}`}
          sandbox="allow-scripts allow-same-origin allow-forms"
          referrerPolicy="no-referrer"
          className="min-h-0 w-full flex-1 border-0 bg-surface-raised"
        />
      )}
    </section>
  );
}
