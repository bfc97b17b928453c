import type { Domain } from '../../../../routers/schemas/domains.ts';
import { Card } from '../../../components/card.tsx';
import { recordsSeen } from '../domain-badge.tsx';
import { DomainCheck } from '../domain-check.tsx';
import { LoopbackNotice } from '../loopback-notice.tsx';
import { RecordSetup } from './record-setup.tsx';
import { RecordTable } from './record-table.tsx';
import { RecordsFold } from './records-fold.tsx';

export type DomainRecordsProps = { domain: Domain; mayChange: boolean };

/** The records of a domain in the flow of a pipeline: written for its owner, or to be copied, and checked. */
export function DomainRecords({ domain, mayChange }: DomainRecordsProps) {
  return (
    <div className="flex flex-col gap-4">
      <LoopbackNotice records={domain.records} />
      {mayChange && <RecordSetup domain={domain} />}
      <RecordsFold records={domain.records}>
        <Card className="overflow-hidden">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
            <p className="grow text-sm text-ink-muted tabular-nums">{recordsSeen(domain)}</p>
            {mayChange && <DomainCheck domain={domain} />}
          </div>
          <RecordTable domain={domain} />
        </Card>
      </RecordsFold>
    </div>
  );
}
