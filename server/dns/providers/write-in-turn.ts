import type { FoundRecordSet, RecordChange, RecordData } from '../provider.ts';
import { pendingChanges } from '../record-plan/changes.ts';

/**
 * Writes at a provider that knows no change over several sets: one set after the other, and back again where one of them
 * fails. What is removed goes first, since a CNAME stands beside nothing else (RFC 1034, section 3.6.2).
 */
export async function writeInTurn(
  pending: readonly RecordChange[],
  /** Brings one set from what is there to `after`, whatever of it was done before. */
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
      // The first error is the one to tell; a set that cannot be brought back is found by the next look.
      await make({ ...set, before: after, after: before }).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * Returns the changes still to be made, as `pendingChanges` does, where a set is written record by record: one that a
 * broken run left between `before` and `after` is gone on with.
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

/** Holds nothing but values of the two, and all that both have; and is neither of them. */
function isBetween({ before, after }: RecordChange, now: RecordData | null): boolean {
  const held = new Set(now?.values);
  const [old, wanted] = [new Set(before?.values), new Set(after?.values)];
  const isKnown = [...held].every((value) => old.has(value) || wanted.has(value));
  const keepsShared = [...old].every((value) => !wanted.has(value) || held.has(value));
  const isEither = [old, wanted].some((one) => one.size === held.size && [...one].every((value) => held.has(value)));
  return isKnown && keepsShared && !isEither;
}
