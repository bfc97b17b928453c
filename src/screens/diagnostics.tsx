import { ScrollText, Stethoscope } from 'lucide-react';
import { Link } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { PAGE_SIZE_MAX } from '../../routers/schemas/primitives.ts';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { errorDetails, errorMessage } from '../api/errors.ts';
import { isNothing, shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { ListStates } from '../components/lists/list-states.tsx';
import { useNow } from '../components/now.ts';
import { lazyDialog } from '../components/overlays/lazy-dialog.tsx';
import { ErrorState } from '../components/page/error-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { type Step, Stepper } from '../components/page/stepper.tsx';
import { StateBadge } from '../components/states/state-badge.tsx';
import { Time } from '../components/time.tsx';
import { deploymentDisplayState } from '../features/deployments/display-state.ts';
import { DeploymentSelect } from '../features/deployments/manage/deployment-select.tsx';
import { useListFilters } from '../features/deployments/manage/use-list-filters.ts';
import { useOfferedDeployments } from '../features/deployments/manage/use-offered-deployments.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { CheckList, CheckListSkeleton } from '../features/diagnostics/check-list.tsx';
import { asksForAct, type Check, checksOf } from '../features/diagnostics/checks.ts';
import { domainChecks } from '../features/diagnostics/domain-checks.ts';
import { LiveReport } from '../features/diagnostics/live-report.tsx';
import { ReportHistory } from '../features/diagnostics/report-history.tsx';
import { endOf, type StepGroup, stepGroupsOf, tookOf } from '../features/releases/progress/step-groups.ts';
import { partTitle } from '../features/releases/step-titles.ts';
import { deploymentLabel } from '../lib/deployment-label.ts';
import { href, paths } from '../lib/paths/paths.ts';

const RecordPlanDialog = lazyDialog(
  async () => (await import('../features/domains/records/record-plan-dialog.tsx')).RecordPlanDialog,
);

/** Examines a name or a deployment now, and shows below what is known of the deployment without another request. */
export function DiagnosticsScreen() {
  const filters = useListFilters(['deployment', 'report']);
  const { list, deployments, hasNone } = useOfferedDeployments();
  const deploymentId = filters.get('deployment') ?? deployments[0]?.id;
  const chosen = deployments.find(({ id }) => id === deploymentId);
  return (
    <>
      <PageHeader
        title="System Diagnostics"
        description="Checks every step on the way to a website, and says how to fix what is broken."
      />
      <LiveReport
        reportId={filters.get('report')}
        onReport={(id) => filters.set('report', id)}
        deployment={chosen === undefined ? null : { id: chosen.id, name: deploymentLabel(chosen) }}
        choice={
          deployments.length > 0 && (
            <DeploymentSelect
              deployments={deployments}
              value={deploymentId}
              onChange={(id) => filters.set('deployment', id)}
            />
          )
        }
        planDialog={RecordPlanDialog}
      />
      {deploymentId !== undefined ? (
        <Report key={deploymentId} deploymentId={deploymentId} />
      ) : (
        <Card>
          <ListStates
            list={list}
            count={deployments.length}
            skeleton={<CheckListSkeleton />}
            failure={shownFailure('Your deployments could not be loaded', list.error)}
            empty={NOTHING_YET}
          />
        </Card>
      )}
      <ReportHistory reportId={filters.get('report')} deploymentId={deploymentId} isSilent={hasNone} />
    </>
  );
}

function Report({ deploymentId }: { deploymentId: string }) {
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const number = deployment.data?.currentRelease?.number;
  const current = trpc.releases.get.useQuery({ deploymentId, number: number ?? 1 }, { enabled: number !== undefined });
  const domains = trpc.domains.list.useQuery({ deploymentId });
  const domainIds = domains.data?.items.map(({ id }) => id) ?? [];
  const certificates = trpc.certificates.list.useQuery(
    { domainIds, limit: PAGE_SIZE_MAX },
    { enabled: domainIds.length > 0 },
  );
  const health = trpc.diagnostics.health.useQuery({ deploymentIds: [deploymentId] });
  const reports = trpc.diagnostics.list.useQuery();
  const now = useNow();
  const lost = [deployment, current, domains, certificates, health].find(({ error }) => error !== null);
  if (lost?.error) {
    const { error } = lost;
    const isMissing = isNothing(error);
    return (
      <Card>
        <ErrorState
          title={isMissing ? 'This deployment does not exist' : 'The report could not be loaded'}
          onRetry={isMissing ? undefined : () => void lost.refetch()}
          isRetrying={lost.isFetching}
          requestId={errorDetails(error).requestId}
        >
          {isMissing ? 'It may have been deleted. Choose another.' : errorMessage(error)}
        </ErrorState>
      </Card>
    );
  }
  const release = number === undefined ? null : current.data;
  const certificateItems = domainIds.length === 0 ? [] : certificates.data?.items;
  if (!deployment.data || release === undefined || !domains.data || !certificateItems || !health.data) {
    return (
      <Card>
        <CheckListSkeleton />
      </Card>
    );
  }
  const last = reports.data?.items.find((one) => one.deploymentId === deploymentId && one.verdict !== null);
  const checks = [
    ...checksOf(deployment.data, release, health.data.items[0]),
    ...domainChecks(domains.data.items, certificateItems, now),
  ];
  const isTroubled = last?.verdict === 'fail' || last?.verdict === 'warn';
  return <FullReport deployment={deployment.data} current={release} checks={checks} isTroubled={isTroubled} />;
}

type FullReportProps = {
  deployment: Deployment;
  current: ReleaseDetail | null;
  checks: readonly Check[];
  /** True when its last report found a problem. */
  isTroubled: boolean;
};

function FullReport({ deployment, current, checks, isTroubled }: FullReportProps) {
  const { data: allowance } = trpc.subscription.allowance.useQuery();
  return (
    <div className="flex flex-col gap-6">
      <Card className="overflow-hidden">
        <CardHeader
          title={
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere">
              {diagnosisText(deployment, checks.filter(asksForAct).length, isTroubled)}
              <StateBadge state={deploymentDisplayState(deployment, isReadOnly(allowance, deployment.id))} />
            </span>
          }
        />
        <CheckList checks={[...checks].sort((one, other) => Number(asksForAct(other)) - Number(asksForAct(one)))} />
      </Card>
      {current !== null && (
        <Card className="overflow-hidden">
          <CardHeader
            title={`How release ${current.number} went live`}
            action={
              <Button size="sm" asChild>
                <Link to={href.release(deployment.id, current.number)}>
                  <ScrollText /> Read the log
                </Link>
              </Button>
            }
          />
          <Stepper
            label={`Steps of release ${current.number}`}
            steps={stepGroupsOf(current).map((part) => rowOf(part, current))}
          />
        </Card>
      )}
    </div>
  );
}

function diagnosisText({ name, currentRelease }: Deployment, troubles: number, isTroubled: boolean): string {
  if (troubles > 0) return `${formatCount(troubles, 'thing')} to look at in ${name}`;
  if (currentRelease === null) return `No checks of ${name} yet`;
  return isTroubled ? `No problems with ${name} besides those in its last report` : `No problems found in ${name}`;
}

function rowOf(part: StepGroup, release: ReleaseDetail): Step {
  const { name, state, steps, isRollBack } = part;
  // The first time the switch is no step of its own.
  const endedAt = name === 'switching' && steps.length === 0 ? release.finishedAt : endOf(steps);
  const took = tookOf(part, release, endedAt ?? new Date());
  return {
    key: name,
    state,
    title: partTitle(name, state, isRollBack),
    ...(endedAt !== null && { detail: <Time at={endedAt} /> }),
    ...(took !== null && { aside: took }),
  };
}

const NOTHING_YET = {
  icon: Stethoscope,
  text: 'No deployments yet. Once one is live, its checks appear here.',
  action: (
    <Button asChild>
      <Link to={paths.newDeployment}>Publish a folder</Link>
    </Button>
  ),
};
