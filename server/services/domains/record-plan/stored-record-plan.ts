import type { ClientSession } from 'mongoose';
import type { RecordPlan } from '../../../../routers/schemas/domains.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../../database/models/dns-change.ts';
import type { DnsZone, RecordChange } from '../../../dns/provider.ts';
import type { PlannedChange } from '../../../dns/record-plan/record-plan.ts';

type DomainKey = { accountId: string; domainId: string };

/** Over, and not to be gone on with by itself. */
const ENDED = ['applied', 'undone', 'failed'] as const;
/** Of a domain: each holds the sets as they were, whatever their size, to put them back. */
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

/** Removes the plans of a domain that is no more. */
export async function removeRecordPlans(session: ClientSession, { accountId, domainId }: DomainKey): Promise<void> {
  await DnsChangeModel.deleteMany({ accountId, domainId }, { session });
}

/** Returns what a plan writes, without what is right already. */
export function openChanges(plan: DnsChangeDoc): RecordChange[] {
  return storedChanges(plan)
    .filter(({ action }) => action !== 'leave')
    .map(({ type, name, before, after }) => ({ type, name, before, after }));
}

/** The field is free in its schema; only `planDomain` writes it. */
function storedChanges({ changes }: DnsChangeDoc): PlannedChange[] {
  return changes as PlannedChange[];
}

/** The field is free in its schema; only `planDomain` writes it. */
export function storedZone({ zone }: DnsChangeDoc): DnsZone {
  return zone as DnsZone;
}

/** Returns the document as it is shown. */
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
  };
}
