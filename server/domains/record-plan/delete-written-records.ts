import { askDns } from '../../connections/ask-dns.ts';
import { readNames } from '../../connections/dns-connections.ts';
import { withZoneLease } from '../../connections/zone-lease.ts';
import type { AccountContext } from '../../context.ts';
import { ConnectionModel } from '../../database/models/connection.ts';
import type { DnsChangeDoc } from '../../database/models/domains/dns-change.ts';
import type { DomainRow } from '../../database/models/domains/domain.ts';
import type { FoundRecordSet, RecordChange } from '../../dns/provider.ts';
import { dataOf } from '../../dns/record-plan/record-sets.ts';
import { storedZone } from './stored-record-plan.ts';
import { readWritten, type WrittenRecord } from './written-records.ts';

/**
 * Deletes the records of a domain that Fairlead has written and that are still as written, through the connections
 * that wrote them; values of others stay, and so does a CAA record, which other names may need. Returns the records
 * that are gone. Throws `state_changed` while they are being written, and the errors of the provider.
 */
export async function deleteWrittenRecords(
  ctx: AccountContext,
  domain: Pick<DomainRow, '_id' | 'accountId' | 'name'>,
): Promise<WrittenRecord[]> {
  const { accountId } = domain;
  const written = (await readWritten(null, domain)).filter(({ record }) => record.type !== 'CAA');
  const zoneKeyOf = (plan: DnsChangeDoc) => `${plan.connectionId} ${storedZone(plan).name}`;
  const plans = new Map(written.map(({ plan }) => [zoneKeyOf(plan), plan]));
  const gone: WrittenRecord[] = [];
  for (const [key, plan] of plans) {
    const zone = storedZone(plan);
    const connection = await ConnectionModel.findOne({ _id: plan.connectionId, accountId });
    // Without it the person is told which records to delete.
    if (connection === null) continue;
    const records = written.flatMap((one) => (zoneKeyOf(one.plan) === key ? [one.record] : []));
    const names = [...new Set(records.map(({ name }) => name))];
    const left = await askDns(ctx, connection, (provider, call) =>
      withZoneLease(ctx.providers, { provider, call, zone }, async () => {
        const found = await readNames(provider, call, zone, names);
        const changes = without(records, found);
        if (changes.length === 0) return found;
        await provider.write(call, zone, changes);
        // Some servers accept a change and leave it undone.
        return readNames(provider, call, zone, names);
      }),
    );
    gone.push(...records.filter((record) => !isThere(record, left)));
  }
  return gone;
}

function isThere({ type, name, value }: WrittenRecord, found: readonly FoundRecordSet[]): boolean {
  return found.some((set) => set.type === type && set.name === name && set.values.includes(value));
}

function without(records: readonly WrittenRecord[], found: readonly FoundRecordSet[]): RecordChange[] {
  const sets = new Map(records.map(({ type, name }) => [`${type} ${name}`, { type, name }]));
  return [...sets.values()].flatMap(({ type, name }) => {
    const there = found.find((set) => set.type === type && set.name === name);
    const isOurs = (value: string) =>
      records.some((record) => record.type === type && record.name === name && record.value === value);
    const values = there?.values.filter((value) => !isOurs(value));
    if (there === undefined || there.isFixed === true || values?.length === there.values.length) return [];
    const before = dataOf(there);
    return [{ type, name, before, after: values?.length ? { ...before, values } : null }];
  });
}
