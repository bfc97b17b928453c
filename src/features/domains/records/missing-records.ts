import type { CheckedRecord } from '../../../../routers/schemas/domains.ts';

/** Returns the records that are still to be set, without those that a domain does without: of those that stand in for one another none, where all of one type are there. */
export function missingRecords(records: readonly CheckedRecord[]): CheckedRecord[] {
  return records.filter(
    (record) => record.state !== 'ok' && record.purpose !== 'certificate' && !hasStandIn(record, records),
  );
}

function hasStandIn({ alternativeGroup: group }: CheckedRecord, records: readonly CheckedRecord[]): boolean {
  if (group === null) return false;
  const members = records.filter(({ alternativeGroup }) => alternativeGroup === group);
  return members.some(({ type }) => members.every((one) => one.type !== type || one.state === 'ok'));
}
