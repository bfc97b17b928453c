import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { publicationPath, RunningPublication } from '../features/releases/progress/running-release.tsx';
import { routes } from '../routes.tsx';
import { isUnderWay, type Publication, usePublications } from '../uploads/publications.ts';

const KEEP_OPEN = 'Keep this page open';

export type SendingStatusProps = {
  /** `list`: each upload with its progress; `bar`: how much of all of them is sent, in two short lines. */
  look: 'list' | 'bar';
};

/** Shows this page's running uploads on every screen: they end with the page. */
export function SendingStatus({ look }: SendingStatusProps) {
  const sending = usePublications().filter(isUnderWay);
  // The page that takes over after sending is loaded by then.
  useEffect(() => void routes.release.screen.fetch(), []);
  return look === 'list' ? <SendingList sending={sending} /> : <SendingShare sending={sending} />;
}

type SendingProps = { sending: readonly Publication[] };

function SendingList({ sending }: SendingProps) {
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

/** Leads to the first of them. */
function SendingShare({ sending }: SendingProps) {
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

/** Returns the share once the size of each is known: what is still read may turn out to be there already. */
function shareText(sending: readonly Pick<Publication, 'progress'>[]): string {
  const total = { done: 0, bytes: 0 };
  for (const { progress } of sending) {
    if (progress?.phase !== 'sending') return 'Sending';
    total.done += progress.bytesDone;
    total.bytes += progress.bytesTotal;
  }
  return total.bytes === 0 ? 'Sending' : `Sending ${Math.floor((total.done / total.bytes) * 100)}%`;
}
