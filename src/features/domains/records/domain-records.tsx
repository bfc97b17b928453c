import type { Domain } from '../../../../routers/schemas/domains.ts';
import { Card } from '../../../components/card.tsx';
import { recordsSeen } from '../domain-badge.tsx';
import { DomainCheck } from '../domain-check.tsx';
import { LoopbackNotice, leadHere } from '../loopback-notice.tsx';
import { RecordSetup } from './record-setup.tsx';
import { RecordTable } from './record-table.tsx';

export type DomainRecordsProps = { domain: Domain; mayChange: boolean };

/** The records of a domain in the flow of a pipeline: written for its owner, or to be copied, and checked. */
export function DomainRecords({ domain, mayChange }: DomainRecordsProps) {
  const table = (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
        <p className="grow text-sm text-ink-muted tabular-nums">{recordsSeen(domain)}</p>
        {mayChange && <DomainCheck domain={domain} />}
      </div>
      <RecordTable domain={domain} />
    </Card>
  );
  return (
    <div className="flex flex-col gap-4">
      <LoopbackNotice records={domain.records} />
      {mayChange && <RecordSetup domain={domain} />}
      {leadHere(domain.records) ? (
        // In sight they would ask for what the notice warns of.
        <details>
          <summary className="w-fit cursor-pointer rounded-tight py-1 text-sm text-ink-muted hover:text-ink touch:py-3">
            Show the records
          </summary>
          <div className="mt-2">{table}</div>
        </details>
      ) : (
        table
      )}
    </div>
  );
}
