import type { ClientSession } from 'mongoose';
import { valuesBeside } from '../../../routers/rules/records-to-delete.ts';
import type { RemovedDomain } from '../../../routers/schemas/domains.ts';
import { type DnsChangeDoc, DnsChangeModel } from '../../database/models/domains/dns-change.ts';
import type { DomainRow } from '../../database/models/domains/domain.ts';
import type { RecordChange } from '../../dns/provider.ts';
import { AppError } from '../../lib/errors.ts';
import { openChanges } from './stored-record-plan.ts';

export type WrittenRecord = RemovedDomain['deleteFirst'][number] & Pick<RecordChange, 'type'>;
type Planned = Pick<DomainRow, '_id' | 'accountId' | 'name'>;

/**
 * Returns the records that applied plans of a domain have written, without previous ones and those that a later plan
 * removed. Throws `state_changed` while one of them is written or undone: nobody knows yet which records the provider
 * will have.
 */
export async function writtenRecords(session: ClientSession, domain: Planned): Promise<WrittenRecord[]> {
  return (await readWritten(session, domain)).map(({ record }) => record);
}

/** Returns the same records, each with the plan that has written it. */
export async function readWritten(
  session: ClientSession | null,
  { _id: domainId, accountId, name }: Planned,
): Promise<{ record: WrittenRecord; plan: DnsChangeDoc }[]> {
  const state = { $in: ['applying', 'undoing', 'applied'] as const };
  const plans = await DnsChangeModel.find({ accountId, domainId, state }).sort({ updatedAt: 1 }).session(session);
  if (plans.some((plan) => plan.state !== 'applied')) {
    throw new AppError('state_changed', `The records of ${name} are being written.`, {
      hint: 'Remove the domain once they are written.',
    });
  }
  const written = new Map<string, { record: WrittenRecord; plan: DnsChangeDoc }>();
  for (const plan of plans) {
    for (const { type, name: owner, before, after } of openChanges(plan)) {
      for (const value of valuesBeside(before, after)) written.delete(`${type} ${owner} ${value}`);
      for (const value of valuesBeside(after, before))
        written.set(`${type} ${owner} ${value}`, { record: { type, name: owner, value }, plan });
    }
  }
  return [...written.values()];
}

/**
 * Returns the sets that the account itself has put back since the domain was active, like `A example.com`: the last
 * change that wrote them was undone.
 */
export async function undoneSets({
  _id: domainId,
  accountId,
  activeSince,
}: Pick<DomainRow, '_id' | 'accountId' | 'activeSince'>): Promise<Set<string>> {
  const state = { $in: ['applied', 'undoing', 'undone'] as const };
  const since = { updatedAt: { $gte: activeSince ?? new Date(0) } };
  const plans = await DnsChangeModel.find({ accountId, domainId, state, ...since }).sort({ updatedAt: 1 });
  const undone = new Set<string>();
  for (const plan of plans) {
    for (const { type, name } of openChanges(plan)) {
      if (plan.state === 'applied') undone.delete(`${type} ${name}`);
      else undone.add(`${type} ${name}`);
    }
  }
  return undone;
}
