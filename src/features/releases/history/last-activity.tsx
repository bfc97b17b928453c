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
  const { to, owner, what, badge, at } = labelsOf(entry);
  return (
    <li className="flex flex-col items-start gap-1 px-4 py-3 sm:px-5">
      <Link
        to={to}
        title={owner + what}
        className="-my-0.5 flex max-w-full rounded-tight py-0.5 hover:underline touch:my-0 touch:py-1"
      >
        {/* A long name is cut, and what was done is not. */}
        <span dir="auto" className="shrink-99999 truncate">
          {owner}
        </span>
        <span className="truncate">{what}</span>
      </Link>
      {/* Below, however long the name is: what happened and when need all of it on no width. */}
      <span className="flex w-full items-center justify-between gap-4">
        {badge}
        <Time at={at} className="shrink-0 text-sm text-ink-muted" />
      </span>
    </li>
  );
}

function labelsOf(entry: HistoryEntry): { to: string; owner: string; what: string; badge: ReactNode; at: Date } {
  if (entry.kind === 'rollBack') {
    const { deploymentId, toNumber, state, createdAt } = entry.rollBack;
    return {
      to: href.release(deploymentId, toNumber),
      owner: ownerLabel(entry.rollBack),
      what: `, ${rollBackText(entry.rollBack)}`,
      badge: <RollBackBadge state={state} isForward={isForward(entry.rollBack)} />,
      at: createdAt,
    };
  }
  const { deploymentId, number, createdAt } = entry.release;
  return {
    to: href.release(deploymentId, number),
    owner: ownerLabel(entry.release),
    what: `, release ${number}`,
    badge: <ReleaseBadge release={entry.release} />,
    at: createdAt,
  };
}
