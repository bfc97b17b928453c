import { ArrowDown, Copy, Download, Maximize2, Minimize2 } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { saveText } from '../../lib/browser/save-text.ts';
import { formatClock } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import { classNames } from '../class-names.ts';
import { copyText } from '../copy-text.ts';
import { SearchField } from '../fields/search-field.tsx';
import { IconButton } from '../icon-button.tsx';
import { showToast } from '../overlays/toast-store.ts';
import { LogLines } from './log-lines.tsx';

export type LogEntry = { at: Date; text: string };

export type LogViewProps = {
  /** Read aloud, and used as the name of the downloaded file. */
  label: string;
  lines: readonly LogEntry[];
};

/** Within this distance of the end the view still follows it. */
const FOLLOW_WITHIN_PX = 24;

/** With fewer lines the search field would be larger than the log. */
const SEARCH_FROM_LINES = 12;

/** Shows a log and follows its end; scrolling up stops that, and the bottom resumes it. */
export function LogView({ label, lines }: LogViewProps) {
  const [query, setQuery] = useState('');
  const [isFull, setFull] = useState(false);
  const wanted = useDeferredValue(query.trim().toLowerCase());
  const shown = wanted === '' ? lines : lines.filter((line) => line.text.toLowerCase().includes(wanted));
  const { boxRef, isFollowing, onScroll, follow } = useFollowedEnd(shown.length);
  useEscape(isFull, setFull);
  return (
    <div
      className={classNames(
        'group/log relative flex min-w-0 flex-col rounded-control bg-surface-sunken',
        isFull && 'fixed inset-0 z-30 rounded-none',
      )}
    >
      <div className="flex items-center gap-1 border-b border-line p-1 pl-3">
        <span className="mr-auto truncate text-xs text-ink-muted tabular-nums">
          {wanted === ''
            ? formatCount(lines.length, 'line')
            : `${shown.length.toLocaleString('en')} of ${formatCount(lines.length, 'line')}`}
        </span>
        {(lines.length >= SEARCH_FROM_LINES || query !== '') && (
          <SearchField label={`Search ${label}`} value={query} onValueChange={setQuery} className="w-40 sm:w-56" />
        )}
        <LogAction label={`Copy ${label}`} icon={<Copy />} onClick={() => copyLog(lines)} />
        <LogAction label={`Download ${label}`} icon={<Download />} onClick={() => downloadLog(label, lines)} />
        <LogAction
          label={isFull ? 'Exit full screen' : 'Full screen'}
          icon={isFull ? <Minimize2 /> : <Maximize2 />}
          onClick={() => setFull(!isFull)}
        />
      </div>
      <div
        ref={boxRef}
        onScroll={onScroll}
        role="log"
        aria-label={label}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard (WCAG 2.1.1)
        tabIndex={0}
        className={classNames(
          'overflow-auto overscroll-contain px-3 py-2 font-mono text-xs',
          isFull ? 'min-h-0 grow' : 'max-h-64',
        )}
      >
        {shown.length === 0 ? (
          <p className="text-ink-muted">{wanted === '' ? 'No log lines yet' : 'No matching lines'}</p>
        ) : (
          <LogLines lines={shown} formatAt={formatClock} />
        )}
      </div>
      {!isFollowing && (
        <Button size="sm" onClick={follow} className="absolute right-3 bottom-3 shadow-float">
          <ArrowDown /> Follow
        </Button>
      )}
    </div>
  );
}

function LogAction({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <IconButton label={label} title={label} onClick={onClick}>
      {icon}
    </IconButton>
  );
}

/** Leaves the full screen on Escape. */
function useEscape(isFull: boolean, setFull: (isFull: boolean) => void): void {
  useEffect(() => {
    if (!isFull) return;
    function leaveOnEscape(event: KeyboardEvent) {
      if (event.key === 'Escape') setFull(false);
    }
    document.addEventListener('keydown', leaveOnEscape);
    return () => document.removeEventListener('keydown', leaveOnEscape);
  }, [isFull, setFull]);
}

function useFollowedEnd(count: number) {
  const boxRef = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is the reason to move
  useLayoutEffect(() => {
    const box = boxRef.current;
    if (isFollowing && box !== null) box.scrollTop = box.scrollHeight;
  }, [count, isFollowing]);

  function onScroll() {
    const box = boxRef.current;
    if (box !== null) setFollowing(box.scrollHeight - box.scrollTop - box.clientHeight <= FOLLOW_WITHIN_PX);
  }

  return { boxRef, isFollowing, onScroll, follow: () => setFollowing(true) };
}

async function copyLog(lines: readonly LogEntry[]): Promise<void> {
  const isCopied = await copyText(logText(lines));
  showToast(
    isCopied
      ? { title: 'Log copied' }
      : { title: 'Not copied', description: 'The browser did not allow it.', variant: 'destructive' },
  );
}

function downloadLog(label: string, lines: readonly LogEntry[]): void {
  saveText(logText(lines), `${label.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.log`);
}

function logText(lines: readonly LogEntry[]): string {
  return lines.map((line) => `${line.at.toISOString()} ${line.text}\n`).join('');
}
