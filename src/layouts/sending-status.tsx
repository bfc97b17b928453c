import { Upload } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { RunningSending, sendingPath } from '../features/releases/progress/running-release.tsx';
import { routes } from '../routes.tsx';
import { isUnderWay, type Sending, useSendings } from '../uploads/sendings.ts';

const KEEP_OPEN = 'Keep this tab open';

export type SendingStatusProps = {
  /** `list`: each upload with its progress; `bar`: how much of all of them is sent, in two short lines. */
  look: 'list' | 'bar';
};

/** Shows this page's running uploads on every screen: they end with the page. */
export function SendingStatus({ look }: SendingStatusProps) {
  const sendings = useSendings().filter(isUnderWay);
  useEffect(() => {
    // The page that takes over after sending is loaded by then.
    void routes.release.screen.fetch();
    // Logging out asks first, also while the network is away.
    Promise.all([import('../features/auth/end-session.ts'), import('../features/auth/logout-question.tsx')]).catch(
      () => undefined,
    );
  }, []);
  return look === 'list' ? <SendingList sendings={sendings} /> : <SendingShare sendings={sendings} />;
}

type SendingProps = { sendings: readonly Sending[] };

function SendingList({ sendings }: SendingProps) {
  return (
    <div className="flex flex-col gap-3 px-2 py-3 text-sm">
      <p className="flex items-center justify-between gap-2 text-xs text-ink-muted">
        <Badge tone="accent" icon={Upload}>
          Sending
        </Badge>
        {KEEP_OPEN}
      </p>
      {sendings.map((sending) => (
        <RunningSending key={sending.deploymentId} sending={sending} />
      ))}
    </div>
  );
}

/** Leads to the first of them. */
function SendingShare({ sendings }: SendingProps) {
  const [first] = sendings;
  if (first === undefined) return null;
  return (
    <Link
      to={sendingPath(first)}
      className="flex h-control shrink-0 flex-col justify-center rounded-control text-xs whitespace-nowrap"
    >
      <span className="text-accent tabular-nums">{shareText(sendings)}</span>
      <span className="text-ink-muted">{KEEP_OPEN}</span>
    </Link>
  );
}

/** Returns the share once the size of each is known: what is still read may turn out to be there already. */
function shareText(sendings: readonly Pick<Sending, 'progress'>[]): string {
  const total = { done: 0, bytes: 0 };
  for (const { progress } of sendings) {
    if (progress?.phase !== 'sending') return 'Sending';
    total.done += progress.bytesDone;
    total.bytes += progress.bytesTotal;
  }
  return total.bytes === 0 ? 'Sending' : `Sending ${Math.floor((total.done / total.bytes) * 100)}%`;
}
