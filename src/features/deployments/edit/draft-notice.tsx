import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { href } from '../../../lib/paths/paths.ts';
import { readDraft } from '../stored-draft.ts';

export type DraftNoticeProps = { deploymentId: string };

/** Leads back to what was edited in this browser and not published. */
export function DraftNotice({ deploymentId }: DraftNoticeProps) {
  // Under a name of its own: the editor's answer may be older than what was typed there.
  const { data: draft } = useQuery({
    queryKey: ['waiting-edits', deploymentId],
    queryFn: () => readDraft(deploymentId),
    gcTime: 0,
  });
  if (!draft) return null;
  return (
    <Notice
      tone="accent"
      title="Not published yet"
      action={
        <Button asChild>
          <Link to={href.deploymentEditor(deploymentId)}>Open the editor</Link>
        </Button>
      }
    >
      {formatCount(draft.changes.size, draft.releaseId === null ? 'new file' : 'change')} in the editor, stored in this
      browser.
    </Notice>
  );
}
