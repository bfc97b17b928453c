import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { publicationPath, RunningPublication } from '../features/releases/progress/running-release.tsx';
import { routes } from '../routes.tsx';
import { isUnderWay, type Publication, usePublications } from '../uploads/publications.ts';

const KEEP_OPEN = 'Keep this page open';

/** Shows this page's running uploads on every screen with a sidebar: they end with the page. */
export function SendingStatus() {
  const sending = useSending();
  return (
    <div className="flex flex-col gap-3 px-2 py-3 text-sm">
      <p className="flex items-center justify-between gap-2 text-xs text-ink-muted">
        <Badge tone="accent" icon={Upload}>
          Sending
        </Badge>
        {KEEP_OPEN}
      </p>
      {sending.map((publication) => (
        <RunningPublication key={publication.deploymentId} publication={publication} />
      ))}
    </div>
  );
}

/** Shows in a bar how much of all of them is sent, and leads to the first. */
export function SendingShare() {
  const sending = useSending();
  const [first] = sending;
  if (first === undefined) return null;
  return (
    <Link
      to={publicationPath(first)}
      className="flex h-control shrink-0 flex-col justify-center rounded-control text-xs whitespace-nowrap"
    >
      <span className="text-accent tabular-nums">{shareText(sending)}</span>
      <span className="text-ink-muted">{KEEP_OPEN}</span>
    </Link>
  );
}

function useSending(): readonly Publication[] {
  // The page that takes over after sending is loaded by then.
  useEffect(() => void routes.release.screen.fetch(), []);
  return usePublications().filter(isUnderWay);
}

/** Returns the share once the size of each is known: what is still read may turn out to be there already. */
export function shareText(sending: readonly Pick<Publication, 'progress'>[]): string {
  const total = { done: 0, bytes: 0 };
  for (const { progress } of sending) {
    if (progress?.phase !== 'sending') return 'Sending';
    total.done += progress.bytesDone;
    total.bytes += progress.bytesTotal;
  }
  return total.bytes === 0 ? 'Sending' : `Sending ${Math.floor((total.done / total.bytes) * 100)}%`;
}
