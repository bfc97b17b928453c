import type { ListedRelease, RollBack } from '../../../../routers/schemas/releases.ts';

/** A row of a history: a release that was made, or a rollback to one. */
export type HistoryEntry =
  | { kind: 'release'; id: string; at: Date; release: ListedRelease }
  | { kind: 'rollBack'; id: string; at: Date; rollBack: RollBack };

/** Returns whether it led to a later release, which had been rolled back before. */
export function isForward({ fromNumber, toNumber }: RollBack): boolean {
  return toNumber > fromNumber;
}

/** Returns a text like `release 2 → release 1`. */
export function rollBackText({ fromNumber, toNumber }: RollBack): string {
  return `release ${fromNumber} → release ${toNumber}`;
}

/**
 * Returns releases and rollbacks in one order, newest first. With `isPinned` the live release comes first: in a list
 * of one deployment, it is what a person looks for.
 */
export function historyEntries(
  releases: readonly ListedRelease[],
  rollBacks: readonly RollBack[],
  isPinned: boolean,
): HistoryEntry[] {
  const entries: HistoryEntry[] = [
    ...releases.map((release) => ({ kind: 'release' as const, id: release.id, at: release.createdAt, release })),
    ...rollBacks.map((rollBack) => ({ kind: 'rollBack' as const, id: rollBack.id, at: rollBack.createdAt, rollBack })),
  ];
  const isCurrent = (entry: HistoryEntry) => isPinned && entry.kind === 'release' && entry.release.isCurrent;
  return entries.sort(
    (one, other) => Number(isCurrent(other)) - Number(isCurrent(one)) || other.at.getTime() - one.at.getTime(),
  );
}
