import type { FoundRecordSet, RecordChange, RecordData } from '../provider.ts';
import { recordsChanged, sameValues } from './changes.ts';
import type { PlannedChange } from './record-plan.ts';
import { dataOf } from './record-sets.ts';

/**
 * Returns the changes that undo applied ones, given the present sets. In a shared set only our own values are removed,
 * and those that we removed come back, so that later additions of others stay. If somebody has changed any other set
 * since, undoing it has no clear meaning: throws `records_changed`.
 */
export function undoOf(applied: readonly RecordChange[], found: readonly FoundRecordSet[]): readonly PlannedChange[] {
  return applied.toReversed().map((change) => {
    const there = found.find(({ type, name }) => type === change.type && name === change.name);
    const now = there === undefined ? null : dataOf(there);
    const isShared = change.type === 'TXT' || change.type === 'CAA';
    if (!isShared && !sameValues(now, change.after) && !sameValues(now, change.before)) throw recordsChanged(change);
    const after = isShared ? withoutOurs(change, now) : change.before;
    return { action: actionFor(now, after), type: change.type, name: change.name, before: now, after };
  });
}

function withoutOurs({ before, after }: RecordChange, now: RecordData | null): RecordData | null {
  const old = before?.values ?? [];
  const remaining = (now?.values ?? []).filter((value) => old.includes(value) || !after?.values.includes(value));
  const back = old.filter((value) => !after?.values.includes(value) && !remaining.includes(value));
  const values = [...remaining, ...back];
  return values.length === 0 ? null : { ...(now ?? before), ttl: now?.ttl ?? before?.ttl ?? 0, values };
}

function actionFor(now: RecordData | null, after: RecordData | null): PlannedChange['action'] {
  if (sameValues(now, after)) return 'leave';
  if (now === null) return 'add';
  return after === null ? 'remove' : 'replace';
}
