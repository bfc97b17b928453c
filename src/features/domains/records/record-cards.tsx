import type { Domain } from '../../../../routers/schemas/domains.ts';
import { Card, CardHeader } from '../../../components/card.tsx';
import { missingRecords } from './missing-records.ts';
import { RecordTable } from './record-table.tsx';
import { RecordsFold } from './records-fold.tsx';

/** Shows the records of a domain; when it no longer works, the wrong ones apart from the right ones. */
export function RecordCards({ domain }: { domain: Domain }) {
  const { records, state } = domain;
  const open = state === 'misconfigured' ? missingRecords(records) : [];
  const rest = records.filter((record) => !open.includes(record));
  return (
    <RecordsFold records={records}>
      {open.length > 0 && (
        <Card className="overflow-hidden">
          <CardHeader title={open.length === 1 ? 'Set this record' : 'Set these records'} />
          <RecordTable domain={domain} records={open} label="Records to set" />
        </Card>
      )}
      {rest.length > 0 && (
        <Card className="overflow-hidden">
          {open.length > 0 && (
            <CardHeader title={rest.every(({ state }) => state === 'ok') ? 'As they should be' : 'The other records'} />
          )}
          <RecordTable domain={domain} records={rest} />
        </Card>
      )}
    </RecordsFold>
  );
}
