import { type ComponentType, useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Repair } from '../../../routers/schemas/diagnostics.ts';
import type { Domain, RecordPlan } from '../../../routers/schemas/domains.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { href } from '../../lib/paths/paths.ts';

const LOOK_MS = 2_000;

/** Shows a plan of records before it is written; the domains provide it. */
export type PlanDialog = ComponentType<{
  domain: Domain;
  plan: RecordPlan;
  isPlanning: boolean;
  onBegun: (plan: RecordPlan) => void;
  onOutdated: () => void;
  onClose: () => void;
}>;

type CheckRepairProps = { repair: Repair; planDialog: PlanDialog; onRepaired: () => void };

/** Offers the app's repair for a check: it is shown before it is done, and checked again afterwards. */
export function CheckRepair({ repair, planDialog, onRepaired }: CheckRepairProps) {
  if (repair.kind === 'records') {
    return <RecordsRepair domainId={repair.domainId} planDialog={planDialog} onRepaired={onRepaired} />;
  }
  if (repair.kind === 'certificate') {
    return <CertificateRepair certificateId={repair.certificateId} onRepaired={onRepaired} />;
  }
  return (
    <Button size="sm" asChild>
      <Link to={href.deployment(repair.deploymentId)}>Publish again</Link>
    </Button>
  );
}

type RecordsRepairProps = { domainId: string } & Omit<CheckRepairProps, 'repair'>;

function RecordsRepair({ domainId, planDialog: PlanDialog, onRepaired }: RecordsRepairProps) {
  const [planned, setPlanned] = useState<RecordPlan | null>(null);
  const [writing, setWriting] = useState<string | null>(null);
  const plan = trpc.domains.plan.useMutation({ onSuccess: setPlanned });
  const domain = trpc.domains.get.useQuery({ domainId }, { enabled: planned !== null });
  const last = trpc.domains.lastPlan.useQuery(
    { domainId },
    { enabled: writing !== null, refetchInterval: writing !== null && LOOK_MS },
  );
  const isWritten = writing !== null && last.data?.planId === writing && last.data.state !== 'applying';
  useEffect(() => {
    if (!isWritten) return;
    setWriting(null);
    onRepaired();
  }, [isWritten, onRepaired]);
  // No DNS connection holds the zone: the domain's page has the records to copy.
  if (plan.error !== null) {
    return (
      <Button size="sm" asChild>
        <Link to={href.domain(domainId)}>See the records</Link>
      </Button>
    );
  }
  return (
    <>
      <Button
        size="sm"
        isBusy={plan.isPending || writing !== null}
        busyLabel={writing === null ? 'Reading the zone…' : 'Writing…'}
        onClick={() => plan.mutate({ domainId })}
      >
        Fix it
      </Button>
      {planned !== null && domain.data !== undefined && (
        <PlanDialog
          domain={domain.data}
          plan={planned}
          isPlanning={plan.isPending}
          onBegun={({ planId }) => {
            setPlanned(null);
            setWriting(planId);
          }}
          onOutdated={() => plan.mutate({ domainId })}
          onClose={() => setPlanned(null)}
        />
      )}
    </>
  );
}

function CertificateRepair({ certificateId, onRepaired }: { certificateId: string; onRepaired: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const [isOrdered, setOrdered] = useState(false);
  const renew = trpc.certificates.renew.useMutation({
    onSuccess: () => {
      setAsked(false);
      setOrdered(true);
    },
    onError: (error) => {
      setAsked(false);
      showToast(errorToast('Could not renew the certificate', error));
    },
  });
  const certificate = trpc.certificates.get.useQuery(
    { certificateId },
    { enabled: isOrdered, refetchInterval: isOrdered && LOOK_MS },
  );
  const { data } = certificate;
  const isOver = isOrdered && !certificate.isFetching && data !== undefined && !isOnItsWay(data.state);
  useEffect(() => {
    if (!isOver) return;
    setOrdered(false);
    onRepaired();
  }, [isOver, onRepaired]);
  return (
    <>
      <Button size="sm" isBusy={isOrdered} busyLabel="Renewing…" onClick={() => setAsked(true)}>
        Renew now
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onOpenChange={setAsked}
        title="Renew the certificate"
        description="A new certificate is ordered now. The current one stays in use until the new one is ready."
        confirmLabel="Renew now"
        busyLabel="Ordering…"
        isBusy={renew.isPending}
        onConfirm={() => renew.mutate({ certificateId })}
      />
    </>
  );
}

const isOnItsWay = (state: string): boolean => ['pending', 'validating', 'renewing'].includes(state);
