import type { FoundRecordSet, RecordChange, RecordData } from '../provider.ts';
import { pendingChanges } from '../record-plan/changes.ts';

/**
 * Writes at a provider without changes over several sets: one set after the other, and back again if one of them
 * fails. Removals go first, since nothing may be beside a CNAME (RFC 1034, section 3.6.2).
 */
export async function writeInTurn(
  pending: readonly RecordChange[],
  /** Brings one set from its present state to `after`, whatever part was done before. */
  make: (change: RecordChange) => Promise<void>,
): Promise<void> {
  const ordered = [...pending].sort((one, other) => Number(one.after !== null) - Number(other.after !== null));
  const begun: RecordChange[] = [];
  try {
    for (const change of ordered) {
      begun.unshift(change);
      await make(change);
    }
  } catch (error) {
    for (const { before, after, ...set } of begun) {
      // The first error is reported; the next read finds a set that could not be restored.
      await make({ ...set, before: after, after: before }).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * Returns the outstanding changes, like `pendingChanges`, when a set is written record by record: a set that a broken
 * run left between `before` and `after` is continued.
 */
export function pendingChangesInTurn(
  changes: readonly RecordChange[],
  found: readonly FoundRecordSet[],
): readonly RecordChange[] {
  const begun = new Set(changes.filter((change) => isBetween(change, stateIn(found, change))));
  return changes.flatMap((change) => (begun.has(change) ? [change] : pendingChanges([change], found)));
}

function stateIn(found: readonly FoundRecordSet[], { type, name }: RecordChange): RecordData | null {
  return found.find((set) => set.type === type && set.name === name) ?? null;
}

/** Returns whether the set holds only values of the two, and all that they share, but equals neither. */
function isBetween({ before, after }: RecordChange, now: RecordData | null): boolean {
  const held = new Set(now?.values);
  const [old, wanted] = [new Set(before?.values), new Set(after?.values)];
  const isKnown = [...held].every((value) => old.has(value) || wanted.has(value));
  const keepsShared = [...old].every((value) => !wanted.has(value) || held.has(value));
  const isEither = [old, wanted].some((one) => one.size === held.size && [...one].every((value) => held.has(value)));
  return isKnown && keepsShared && !isEither;
}
