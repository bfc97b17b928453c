import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { Deployment, DeploymentList } from '../../routers/schemas/deployments.ts';
import { TRIAL_DAYS } from '../../routers/schemas/limits.ts';
import type { Allowance } from '../../routers/schemas/subscription.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { classNames } from '../components/class-names.ts';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Skeleton, SkeletonRows } from '../components/skeleton.tsx';
import { VisitsCard } from '../features/analytics/visits-card.tsx';
import { LeadingDrop, type LeadingDropProps } from '../features/deployments/create/leading-drop.tsx';
import { DeploymentRows } from '../features/deployments/manage/deployment-rows.tsx';
import { isReadOnly, usageText } from '../features/deployments/plan-labels.ts';
import { HealthLine, useHealth } from '../features/diagnostics/health-line.tsx';
import { LastActivity } from '../features/releases/history/last-activity.tsx';
import { BetaBadge } from '../features/user/beta-badge.tsx';
import { paths } from '../lib/paths/paths.ts';
import { shownState } from '../lib/waiting.ts';
import { isUnderWay, useSendings } from '../uploads/sendings.ts';

/** Needed only while something is being published. */
const PublishingCard = lazy(async () => ({
  default: (await import('../features/releases/progress/running-release.tsx')).PublishingCard,
}));

/** Needed by the dashboard alone, so that the frame, which every page loads, stays small. */
const AttentionList = lazy(async () => ({
  default: (await import('../features/deployments/manage/attention/attention-list.tsx')).AttentionList,
}));

/** The number that fits beside the drop zone without much scrolling; the lists have all of them. */
const SHOWN_DEPLOYMENTS = 8;
const SHOWN_RELEASES = 6;

export function DashboardScreen() {
  const asked = useDashboard();
  const { allowance } = asked;
  const hasNothing = asked.count === 0 && !asked.deployments.isError;
  return (
    <>
      <PageHeader
        title="Dashboard"
        description={
          allowance.data ? (
            <span className="tabular-nums">{usageText(allowance.data)}</span>
          ) : allowance.isError ? (
            'Your plan could not be loaded'
          ) : (
            <Skeleton className="mt-1 h-4 w-52" />
          )
        }
        actions={
          hasNothing ? undefined : (
            <Button variant="primary" asChild>
              <Link to={paths.newDeployment}>
                <Plus /> New deployment
              </Link>
            </Button>
          )
        }
      />
      {hasNothing ? <Drop shape="tall" description={firstDropText(allowance.data)} /> : <Sites asked={asked} />}
    </>
  );
}

/** Asks for what the dashboard shows, and counts the rows of deployments. */
function useDashboard() {
  const deployments = trpc.deployments.list.useQuery({ limit: SHOWN_DEPLOYMENTS });
  const releases = trpc.releases.list.useQuery({ limit: SHOWN_RELEASES });
  const allowance = trpc.subscription.allowance.useQuery();
  const { user } = useUser();
  const items = deployments.data?.items ?? [];
  const everyone = useBeyondFirst(deployments.data);
  const looked = [...items, ...everyone.inCare].filter(({ currentRelease }) => currentRelease !== null);
  const health = useHealth([...new Set(looked.map(({ id }) => id))]);
  // The user document has the count before the list arrives, so that the placeholder is as tall as the list.
  const expected = Math.min(user?.deploymentCount ?? 0, SHOWN_DEPLOYMENTS);
  const isAsking = [deployments, allowance, everyone, health].some(({ isLoading }) => isLoading);
  const count = deployments.data?.items.length ?? expected;
  return { deployments, releases, allowance, everyone, health, isAsking, count };
}

type AskedProps = { asked: ReturnType<typeof useDashboard> };

function Sites({ asked }: AskedProps) {
  const { releases, everyone } = asked;
  /** A short list spans fewer rows, so that it does not end long before the column beside it. */
  const isLong = asked.count > 3;
  const placeholder = (
    <Card>
      <SkeletonRows rows={asked.count} lines={3} />
    </Card>
  );
  return (
    <Suspense fallback={placeholder}>
      <AttentionList
        deployments={everyone.inCare}
        health={asked.health.byId}
        hasMore={everyone.hasMoreInCare}
        allowance={asked.allowance.data}
        isAsking={asked.isAsking}
        placeholder={placeholder}
      >
        {/* One below the other on a small screen, what grows last at the end: nothing under it is moved. */}
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px] lg:grid-rows-[auto_auto_1fr]">
          <Card className={classNames('min-w-0 overflow-hidden', isLong && 'lg:row-span-2')}>
            <Deployments asked={asked} />
          </Card>
          <div
            className={classNames(
              'flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-start-1',
              !isLong && 'lg:row-span-3',
            )}
          >
            <PublishingNow deployments={everyone.deploying} />
            <Drop shape="compact" description={PRIVATE} />
          </div>
          {!releases.isError && (
            <LastActivity
              history={releases.data}
              shownEntries={SHOWN_RELEASES}
              action={<SeeAll to={paths.deploymentHistory} what="releases" />}
              className={isLong && 'lg:col-start-2 lg:row-span-2 lg:row-start-2'}
            />
          )}
          <VisitsCard />
        </div>
      </AttentionList>
    </Suspense>
  );
}

function Deployments({ asked: { deployments, allowance, health } }: AskedProps) {
  const { user } = useUser();
  return (
    <>
      <CardHeader title="Deployments" action={<SeeAll to={paths.deployments} what="deployments" />} />
      <FailedState
        failure={shownFailure('The deployments could not be loaded', deployments.error)}
        question={deployments}
      />
      <DeploymentRows
        deployments={deployments.data?.items ?? []}
        isReadOnly={(id) => isReadOnly(allowance.data, id)}
        badge={user?.isBetaTester && <BetaBadge />}
        below={(deployment) => <HealthLine deployment={deployment} health={health.byId.get(deployment.id)} />}
      />
    </>
  );
}

type BeyondFirst = { inCare: Deployment[]; hasMoreInCare: boolean; deploying: Deployment[]; isLoading: boolean };

/**
 * Returns the deployments that need attention, and those being published, among all deployments. The first page
 * answers alone when it holds every one.
 */
function useBeyondFirst(first: DeploymentList | undefined): BeyondFirst {
  const hasMore = first !== undefined && first.nextCursor !== null;
  const inCare = trpc.deployments.list.useQuery({ needsCare: true }, { enabled: hasMore });
  const deploying = trpc.deployments.list.useQuery({ state: 'deploying' }, { enabled: hasMore });
  return {
    inCare: (hasMore ? inCare.data : first)?.items ?? [],
    hasMoreInCare: hasMore && !!inCare.data?.nextCursor,
    deploying: (hasMore ? deploying.data : first)?.items ?? [],
    isLoading: inCare.isLoading,
  };
}

const PRIVATE = 'It stays private until you publish.';

function firstDropText(allowance: Allowance | undefined): string {
  return `You first see what is in it. ${
    allowance?.isTrialAvailable ? `Publishing starts with a free trial of ${TRIAL_DAYS} days, without a card.` : PRIVATE
  }`;
}

function Drop(props: Pick<LeadingDropProps, 'shape' | 'description'>) {
  return (
    <>
      <LeadingDrop title="Drop a folder or a ZIP to publish it" {...props} />
      <p className="mt-2 text-sm text-ink-muted">
        Not sure where to host your site?{' '}
        <Link to={paths.testSimulation} className="rounded-tight text-accent underline">
          See where it fits
        </Link>
      </p>
    </>
  );
}

function SeeAll({ to, what }: { to: string; what: string }) {
  return (
    <Link to={to} className="-my-1 rounded-tight py-1 text-sm text-ink-muted hover:text-ink touch:-my-3 touch:py-3">
      See all<span className="sr-only"> {what}</span>
    </Link>
  );
}

function PublishingNow({ deployments }: { deployments: readonly Deployment[] }) {
  const sendings = useSendings().filter((sending) => isUnderWay(sending) || sending.state === 'failed');
  const running = deployments.filter((deployment) => shownState(deployment) === 'deploying');
  const rows = sendings.length + running.length;
  return (
    rows > 0 && (
      <Suspense fallback={<SkeletonRows rows={rows} lines={2} />}>
        <PublishingCard sendings={sendings} running={running} />
      </Suspense>
    )
  );
}
