import { WandSparkles } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { leadHere } from '../../../../routers/rules/lead-here.ts';
import type { CheckedRecord, Domain, RecordPlan, SetupOffer } from '../../../../routers/schemas/domains.ts';
import { errorDetails, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { paths } from '../../../lib/paths/paths.ts';
import { DomainNotice } from '../domain-notice.tsx';
import { obstacleOf } from '../obstacle.ts';
import { isWrittenBy, missingRecords } from './missing-records.ts';

/** Needed only once records were written. */
const RecordPlanNotice = lazy(async () => ({ default: (await import('./record-plan-notice.tsx')).RecordPlanNotice }));
/** Needed only once the domain is proved. */
const NextSteps = lazy(async () => ({ default: (await import('./next-steps.tsx')).NextSteps }));
const SetupOfferDialog = lazyDialog(async () => (await import('./setup-offer-dialog.tsx')).SetupOfferDialog);
const RecordPlanDialog = lazyDialog(async () => (await import('./record-plan-dialog.tsx')).RecordPlanDialog);

/** An event reports the end; polling is a fallback in case none comes. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Offers to write the records through a connected DNS provider, at first and after changes by somebody else. Without
 * one it links to the domain's own provider if that sets records up by a link, else to where a provider can be
 * connected.
 */
export function RecordSetup({ domain }: { domain: Domain }) {
  const connections = trpc.connections.list.useQuery();
  const [isOffered, setOffered] = useState(false);
  const { last, planned, asking, isOnItsWay, ask, begin, close } = useRecordPlan(domain);
  const isBroken = needsRepair(domain);
  const missing = missingRecords(domain.records);
  const isOpen = !isOnItsWay && last !== undefined && connections.data !== undefined;
  const isElsewhere = isZoneElsewhere(asking.error);
  const hasProvider =
    !isElsewhere && connections.data?.items.some(({ kind, state }) => kind === 'dns' && state === 'ok') === true;
  const { data: offer } = trpc.domains.setupOffer.useQuery(
    { domainId: domain.id },
    { enabled: isOpen && !hasProvider && missing.length > 0 },
  );
  const act = (
    <SetupAct
      {...{ isBroken, hasProvider, offer }}
      isPlanning={asking.isPending}
      onPlan={ask}
      onOffer={() => setOffered(true)}
    />
  );
  const again = hasProvider && !isOpen && <PlanAgain isBusy={asking.isPending} onClick={ask} />;
  const loss = connections.data?.items
    .flatMap((one) => (one.kind === 'dns' ? one.lostZones : []))
    .find(({ name }) => domain.name === name || domain.name.endsWith(`.${name}`));
  return (
    <>
      {loss && !isElsewhere && (
        <Notice tone="warn" action={<ToSettings />}>
          {loss.text}
        </Notice>
      )}
      {last && (!isBroken || isOnItsWay || last.error !== null) && (
        <Suspense fallback={<SkeletonRows rows={1} />}>
          <RecordPlanNotice domain={domain} plan={last} missing={missing} planAgain={again} />
        </Suspense>
      )}
      {isBroken && <DomainNotice domain={domain} action={isOpen && act} />}
      {isOpen && <Steps domain={domain} missing={missing} />}
      {isElsewhere && (
        <Notice tone="quiet" title={asking.error?.message}>
          {errorDetails(asking.error).hint}
        </Notice>
      )}
      {!isBroken && isOpen && <SetupCard domain={domain} hasProvider={hasProvider} offer={offer} action={act} />}
      {isOffered && offer && <SetupOfferDialog domain={domain} offer={offer} onClose={() => setOffered(false)} />}
      {planned !== null && (
        <RecordPlanDialog
          domain={domain}
          plan={planned}
          isPlanning={asking.isPending}
          onBegun={begin}
          onOutdated={ask}
          onClose={close}
        />
      )}
    </>
  );
}

type SetupActProps = {
  isBroken: boolean;
  hasProvider: boolean;
  offer: SetupOffer | null | undefined;
  isPlanning: boolean;
  onPlan: () => void;
  onOffer: () => void;
};

function SetupAct({ isBroken, hasProvider, offer, isPlanning, onPlan, onOffer }: SetupActProps) {
  if (hasProvider) {
    return (
      <Button variant="primary" isBusy={isPlanning} busyLabel="Reading the zone…" onClick={onPlan}>
        {isBroken ? 'Fix it' : 'Set up for me'}
      </Button>
    );
  }
  if (!offer) return <ToSettings />;
  return (
    <Button variant="primary" onClick={onOffer}>
      Set up at {offer.providerName}
    </Button>
  );
}

function PlanAgain(props: { isBusy: boolean; onClick: () => void }) {
  return <Button {...props}>Work out the changes again</Button>;
}

function Steps({ domain, missing }: { domain: Domain; missing: readonly CheckedRecord[] }) {
  const { state, records } = domain;
  const isNeeded = missing.some(({ type }) => obstacleOf(domain) === null || type === 'CNAME');
  if (state === 'unverified' || leadHere(records) || !isNeeded) return null;
  return (
    <Suspense fallback={<SkeletonRows rows={1} />}>
      <NextSteps domain={domain} missing={missing} />
    </Suspense>
  );
}

/** Holds the plan that a person looks at, and follows the last one that was begun. */
function useRecordPlan(domain: Domain) {
  const { id: domainId, checkedAt, records } = domain;
  const [planned, setPlanned] = useState<RecordPlan | null>(null);
  const [writtenAfter, setWrittenAfter] = useState<Date | null>(null);
  const { data: last } = trpc.domains.lastPlan.useQuery(
    { domainId },
    { refetchInterval: ({ state }) => isRunning(state.data) && LOOK_AGAIN_MS },
  );
  const asking = trpc.domains.plan.useMutation({
    onSuccess: setPlanned,
    onError: (error) => {
      setPlanned(null);
      if (!isZoneElsewhere(error)) showToast(errorToast('The changes could not be worked out', error));
    },
  });
  const utils = trpc.useUtils();
  // Written records are on their way to the name servers, but not after a failure; removed ones must be written again.
  const isWritten = needsRepair(domain)
    ? writtenAfter !== null && writtenAfter.getTime() === checkedAt?.getTime()
    : missingRecords(records).every((record) => last && last.state !== 'failed' && isWrittenBy(last, record));
  return {
    last,
    planned,
    asking,
    isOnItsWay: isRunning(last) || isWritten,
    ask: () => asking.mutate({ domainId }),
    begin: (begun: RecordPlan) => {
      setPlanned(null);
      setWrittenAfter(checkedAt);
      utils.domains.lastPlan.setData({ domainId }, begun);
    },
    close: () => setPlanned(null),
  };
}

/** Returns whether a record of a working domain must be written again, or an optional one added. */
export function needsRepair({ state, problem, records }: Domain): boolean {
  if (problem?.code === 'certificate_replaced') return false;
  if (state === 'misconfigured') return true;
  const isMissing = missingRecords(records).length > 0;
  // While a domain is set up, a CAA record is written together with its records.
  if (problem?.code === 'caa_forbids') return state === 'active' || (state === 'pending_dns' && !isMissing);
  return state === 'active' && problem !== null && isMissing;
}

function setupText(hasProvider: boolean, offer: SetupOffer | null | undefined): string {
  if (hasProvider) return 'Through your DNS connection. You see each change before it is made, and can undo it.';
  if (offer) return `${offer.providerName} can add them: you see them first, and agree there.`;
  return 'Connect your DNS provider in Settings, under DNS connections, or copy the records from the table below.';
}

function isRunning(plan: RecordPlan | null | undefined): boolean {
  return plan?.state === 'applying' || plan?.state === 'undoing';
}

/** Returns whether the zone is at a provider that is not connected. */
function isZoneElsewhere(error: unknown): boolean {
  return errorDetails(error).code === 'zone_not_found';
}

function ToSettings() {
  return (
    <Button asChild>
      <Link to={paths.settings}>Connect a DNS provider</Link>
    </Button>
  );
}

type SetupCardProps = { domain: Domain; hasProvider: boolean; offer: SetupOffer | null | undefined; action: ReactNode };

function SetupCard({ domain, hasProvider, offer, action }: SetupCardProps) {
  // Where a notice says not to create them at a public provider, none is offered.
  if (!hasProvider && leadHere(domain.records)) return null;
  return (
    <section className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-card bg-accent-soft p-4 sm:p-5">
      <span className="flex size-11 shrink-0 items-center justify-center rounded-card border border-line bg-surface-raised text-accent">
        <WandSparkles className="size-5" />
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="font-semibold">Let Fairlead write these records</h2>
        <p className="text-sm text-ink-muted text-pretty">{setupText(hasProvider, offer)}</p>
      </div>
      {action}
    </section>
  );
}
