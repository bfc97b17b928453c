import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ReleaseList } from '../../../../routers/schemas/releases.ts';
import { Card, CardHeader } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { Time } from '../../../components/time.tsx';
import { ownerLabel } from '../../../lib/deployment-label.ts';
import { href } from '../../../lib/paths/paths.ts';
import { ReleaseBadge } from '../release-badge.tsx';
import { RollBackBadge } from '../roll-back-badge.tsx';
import { type HistoryEntry, historyEntries, isForward, rollBackText } from './history-entries.ts';

export type LastActivityProps = {
  /** Undefined while it loads. */
  history: Pick<ReleaseList, 'items' | 'rollBacks'> | undefined;
  shownEntries: number;
  /** The link to the whole history. */
  action: ReactNode;
  className?: string | false;
};

/** Shows the last events of all deployments; absent when there were none. */
export function LastActivity({ history, shownEntries, action, className }: LastActivityProps) {
  if (history?.items.length === 0) return null;
  return (
    <Card className={classNames('min-w-0 overflow-hidden', className)}>
      <CardHeader title="Recent activity" action={action} />
      {history === undefined ? (
        <SkeletonRows rows={3} />
      ) : (
        <ul className="divide-y divide-line">
          {historyEntries(history.items, history.rollBacks, false)
            .slice(0, shownEntries)
            .map((entry) => (
              <ActivityRow key={entry.id} entry={entry} />
            ))}
        </ul>
      )}
    </Card>
  );
}

function ActivityRow({ entry }: { entry: HistoryEntry }) {
  const { of, number, what, badge } = partsOf(entry);
  const owner = ownerLabel(of);
  return (
    <li className="flex flex-col items-start gap-1 px-4 py-3 sm:px-5">
      <Link
        to={href.release(of.deploymentId, number)}
        title={`${owner}, ${what}`}
        className="-my-0.5 flex max-w-full rounded-tight py-0.5 hover:underline touch:my-0 touch:py-1"
      >
        {/* A long name is cut, and what was done is not. */}
        <span dir="auto" className="shrink-99999 truncate">
          {owner}
        </span>
        <span className="truncate">, {what}</span>
      </Link>
      {/* Below, however long the name is: what happened and when need all of it on no width. */}
      <span className="flex w-full items-center justify-between gap-4">
        {badge}
        <Time at={entry.at} className="shrink-0 text-sm text-ink-muted" />
      </span>
    </li>
  );
}

function partsOf(entry: HistoryEntry) {
  if (entry.kind === 'rollBack') {
    const { rollBack: of } = entry;
    const badge = <RollBackBadge state={of.state} isForward={isForward(of)} />;
    return { of, number: of.toNumber, what: rollBackText(of), badge };
  }
  const { release: of } = entry;
  return { of, number: of.number, what: `release ${of.number}`, badge: <ReleaseBadge release={of} /> };
}
