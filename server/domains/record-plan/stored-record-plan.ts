import type { ClientSession } from 'mongoose';
import type { RecordPlan } from '../../../routers/schemas/domains.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../database/models/domains/dns-change.ts';
import type { DnsZone, RecordChange } from '../../dns/provider.ts';
import type { PlannedChange } from '../../dns/record-plan/record-plan.ts';
import { AppError } from '../../lib/errors.ts';

type DomainKey = { accountId: string; domainId: string };

/** The states of a plan that is over and not continued automatically. */
const ENDED = ['applied', 'undone', 'failed'] as const;
/** The limit of a domain: each plan holds the previous sets, whatever their size, for undoing it. */
const ENDED_PLANS_MAX = 5;

/** Removes the plans of a domain that ended before the last ones. */
export async function removeOlderRecordPlans(
  session: ClientSession,
  { accountId, domainId }: DomainKey,
): Promise<void> {
  const ended = { accountId, domainId, state: { $in: [...ENDED] } };
  const older = DnsChangeModel.find(ended, { _id: 1 }).sort({ updatedAt: -1 }).skip(ENDED_PLANS_MAX);
  const ids = (await older.session(session).lean()).map(({ _id }) => _id);
  if (ids.length > 0) await DnsChangeModel.deleteMany({ accountId, _id: { $in: ids } }, { session });
}

/** Removes the plans of a domain that is gone. */
export async function removeRecordPlans(session: ClientSession, { accountId, domainId }: DomainKey): Promise<void> {
  await DnsChangeModel.deleteMany({ accountId, domainId }, { session });
}

/** Returns the changes of a plan, without records that are already right. */
export function openChanges(plan: DnsChangeDoc): RecordChange[] {
  return storedChanges(plan)
    .filter(({ action }) => action !== 'leave')
    .map(({ type, name, before, after }) => ({ type, name, before, after }));
}

/** Returns the changes without those at these names. Throws `conflict` when none is left to be made. */
export function changesWithout(plan: DnsChangeDoc, names: readonly string[]): PlannedChange[] {
  const changes = storedChanges(plan).map((change) =>
    names.includes(change.name) ? { ...change, action: 'leave' as const, after: change.before } : change,
  );
  if (changes.every(({ action }) => action === 'leave')) {
    throw new AppError('conflict', 'You left out all of these changes.', { hint: 'Select at least one change.' });
  }
  return changes;
}

/** The schema leaves the field free; only `planDomain` and `applyPlan` write it. */
function storedChanges({ changes }: DnsChangeDoc): PlannedChange[] {
  return changes as PlannedChange[];
}

/** The schema leaves the field free; only `planDomain` writes it. */
export function storedZone({ zone }: DnsChangeDoc): DnsZone {
  return zone as DnsZone;
}

/** Converts the document for a person. */
export function toRecordPlan(doc: DnsChangeDoc): RecordPlan {
  const shown = (set: RecordChange['before']) => (set === null ? null : { ttl: set.ttl, values: [...set.values] });
  return {
    planId: doc._id,
    connectionId: doc.connectionId,
    zone: storedZone(doc).name,
    state: doc.state,
    error: doc.error ? { message: doc.error.message, hint: doc.error.hint ?? null } : null,
    changes: storedChanges(doc).map(({ action, type, name, before, after }) => ({
      ...{ action, type, name, before: shown(before), after: shown(after) },
    })),
    conflicts: doc.conflicts.map((conflict: RecordPlan['conflicts'][number]) => conflict),
    changedAt: doc.updatedAt,
  };
}
