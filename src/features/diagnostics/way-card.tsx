import { useState } from 'react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardHeader } from '../../components/card.tsx';
import { useNow } from '../../components/now.ts';
import { CheckList } from './check-list.tsx';
import { useReport, useRunDiagnostics } from './use-report.ts';
import { wayOf } from './way.ts';

/** Shows the way from a name to the page behind it, each link with its finding, and a check from outside. */
export function WayCard({ domain, mayLook }: { domain: Domain; mayLook: boolean }) {
  const { id: domainId, servedName } = domain;
  const now = useNow();
  const [begun, setBegun] = useState<string | null>(null);
  const certificates = trpc.certificates.list.useQuery({ domainId });
  const reports = trpc.diagnostics.list.useQuery({ name: servedName });
  const latest = reports.data?.items.find(({ state }) => state !== 'failed');
  const report = useReport(begun ?? latest?.id ?? null);
  const { run, isPending } = useRunDiagnostics(setBegun);
  return (
    <Card>
      <CardHeader
        title="From the domain name to the page"
        action={
          mayLook && (
            <Button
              size="sm"
              isBusy={isPending || report.data?.state === 'running'}
              busyLabel="Checking…"
              onClick={() => run({ name: servedName })}
            >
              Check from outside
            </Button>
          )
        }
      />
      <CheckList checks={wayOf(domain, certificates.data?.items ?? [], report.data, now)} />
    </Card>
  );
}
