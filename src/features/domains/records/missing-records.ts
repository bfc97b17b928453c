import type { CheckedRecord } from '../../../../routers/schemas/domains.ts';

/** Returns the required records that are still missing: none of a group of alternatives when all of one type exist. */
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
