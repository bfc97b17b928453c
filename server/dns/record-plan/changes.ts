import { AppError } from '../../lib/errors.ts';
import type { FoundRecordSet, RecordChange, RecordData } from '../provider.ts';

/**
 * Returns the outstanding changes, given the present sets at their names: a change whose `after` is there already is
 * done. Throws `records_changed` when a set is neither as before the plan nor as planned. The time to live is not
 * compared: providers round it, and caches count it down.
 */
export function pendingChanges(
  changes: readonly RecordChange[],
  found: readonly FoundRecordSet[],
): readonly RecordChange[] {
  return changes.filter((change) => {
    const now = found.find(({ type, name }) => type === change.type && name === change.name) ?? null;
    if (sameValues(now, change.after)) return false;
    if (!sameValues(now, change.before)) throw recordsChanged(change);
    return true;
  });
}

/** Returns whether two sets hold the same values, in any order; null is a missing set. */
export function sameValues(one: RecordData | null, other: RecordData | null): boolean {
  const values = new Set(one?.values);
  const others = new Set(other?.values);
  return values.size === others.size && [...values].every((value) => others.has(value));
}

export function recordsChanged({ type, name }: Pick<RecordChange, 'type' | 'name'>): AppError {
  return new AppError('records_changed', `The ${type} records of ${name} were changed in the meantime.`, {
    hint: 'Nothing was overwritten. Work out the changes again, starting from what is there now.',
  });
}
