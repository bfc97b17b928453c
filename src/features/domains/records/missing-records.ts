import type { CheckedRecord, RecordPlan } from '../../../../routers/schemas/domains.ts';

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

/** Returns whether a plan writes a record: one that it leaves was there already, or was chosen not to be written. */
export function isWrittenBy({ changes }: RecordPlan, { type, name, value }: CheckedRecord): boolean {
  return changes.some(
    ({ action, after, ...change }) =>
      action !== 'leave' && change.type === type && change.name === name && after?.values.includes(value) === true,
  );
}
