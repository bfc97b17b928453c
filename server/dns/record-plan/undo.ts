import type { FoundRecordSet, RecordChange, RecordData } from '../provider.ts';
import { recordsChanged, sameValues } from './changes.ts';
import type { PlannedChange } from './record-plan.ts';
import { dataOf } from './record-sets.ts';

/**
 * Returns the changes that undo what was applied, given what is there now. From a set that is shared with others only
 * the values that came are taken and those that went are put back, so that what others added since stays. Of any other
 * set that somebody changed since, nobody can say what undoing means: throws `records_changed`.
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
  const kept = (now?.values ?? []).filter((value) => old.includes(value) || !after?.values.includes(value));
  const back = old.filter((value) => !after?.values.includes(value) && !kept.includes(value));
  const values = [...kept, ...back];
  return values.length === 0 ? null : { ...(now ?? before), ttl: now?.ttl ?? before?.ttl ?? 0, values };
}

function actionFor(now: RecordData | null, after: RecordData | null): PlannedChange['action'] {
  if (sameValues(now, after)) return 'leave';
  if (now === null) return 'add';
  return after === null ? 'remove' : 'replace';
}
