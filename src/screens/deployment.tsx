import { ExternalLink, FolderUp } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { usePublication } from '../api/publication-store.ts';
import { trpc } from '../api/trpc.ts';
import type { Picked } from '../api/upload-picks.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Skeleton, SkeletonRows } from '../components/skeleton.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { TabPanel, Tabs } from '../components/tabs.tsx';
import { AbsentDeployment } from '../features/deployments/absent-deployment.tsx';
import { DeploymentMenu } from '../features/deployments/deployment-menu.tsx';
import { isReadOnly } from '../features/deployments/plan-words.ts';
import { deploymentShownState } from '../features/deployments/shown-state.ts';
import { LatestNotice } from '../features/releases/latest-notice.tsx';
import { LiveCard } from '../features/releases/live-card.tsx';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { useLeadToRelease } from '../features/releases/use-lead-to-release.ts';
import { BetaBadge } from '../features/user/beta-badge.tsx';
import { useWhenIdle } from '../lib/later.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { paths } from '../lib/paths.ts';

/** What only another tab, or a folder on its way, shows; all of it is here before it is wanted. */
const loadSending = async () => ({
  default: (await import('../features/releases/sending-overview.tsx')).SendingOverview,
});
const loadList = async () => ({ default: (await import('../features/releases/release-list.tsx')).ReleaseList });
const loadSettings = async () => ({
  default: (await import('../features/deployments/deployment-settings.tsx')).DeploymentSettings,
});
/** Asked for together with the deployment, so that it is here when the deployment is. */
const loadPublish = async () => ({
  default: (await import('../features/deployments/publish-part.tsx')).PublishPart,
});
const PublishPart = lazy(loadPublish);
const loadRest = () => Promise.all([loadSending(), loadList(), loadSettings()]);
const SendingOverview = lazy(loadSending);
const ReleaseList = lazy(loadList);
const DeploymentSettings = lazy(loadSettings);

export function DeploymentScreen() {
  const { deploymentId = '' } = useParams();
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  usePageTitle(deployment.data?.name);
  useEffect(() => void loadPublish().catch(() => {}), []);

  if (deployment.data) return <DeploymentPage deployment={deployment.data} />;
  if (deployment.error) {
    return (
      <>
        <PageHeader
          title="Deployment"
          crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: 'Deployment' }]}
        />
        <Card>
          <AbsentDeployment question={deployment} />
        </Card>
      </>
    );
  }
  return <DeploymentSkeleton />;
}

const TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'releases', label: 'Releases' },
  { value: 'settings', label: 'Settings' },
] as const;

function DeploymentPage({ deployment }: { deployment: Deployment }) {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { user } = useUser();
  const allowance = trpc.subscription.allowance.useQuery();
  const isDeleting = deployment.state === 'deleting';
  const readOnly = isReadOnly(allowance.data);
  const tab = TABS.find(({ value }) => value === params.get('tab'))?.value ?? 'overview';
  const isServing = deployment.currentRelease !== null && !isDeleting;
  const leave = () => void navigate(paths.deployments);
  useWhenIdle(loadRest);
  return (
    <>
      <PageHeader
        title={deployment.name}
        badge={
          <>
            <StateBadge state={deploymentShownState(deployment, readOnly)} />
            {user?.isBetaTester && <BetaBadge />}
          </>
        }
        crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: deployment.name }]}
        description={
          <span className="flex min-w-0 flex-wrap items-center gap-x-3">
            <ReleaseAddress url={deployment.url} />
            <span className="text-sm">{PLATFORMS[deployment.platform].title}</span>
          </span>
        }
        actions={
          <>
            {isServing && (
              <Button asChild>
                <a href={deployment.url} target="_blank" rel="noreferrer">
                  Visit <ExternalLink />
                </a>
              </Button>
            )}
            {!readOnly && deployment.releaseCount > 0 && !isDeleting && (
              <Button variant="primary" asChild>
                <Link to="#publish">
                  <FolderUp /> Publish again
                </Link>
              </Button>
            )}
            <DeploymentMenu deployment={deployment} isReadOnly={readOnly} onRemoved={leave} />
          </>
        }
      />
      {isDeleting && (
        <Notice tone="accent" className="mb-6">
          It is being taken off the air and leaves the lists when that is done; nothing of it can be changed any more.
        </Notice>
      )}
      <Tabs
        label="Parts of the deployment"
        value={tab}
        onChange={(next) => setParams(next === 'overview' ? {} : { tab: next }, { replace: true })}
        tabs={TABS}
      >
        <TabPanel value="overview">
          <Overview deployment={deployment} isReadOnly={readOnly} />
        </TabPanel>
        <TabPanel value="releases">
          <Suspense fallback={<TabSkeleton />}>
            <ReleaseList
              label={`Releases of ${deployment.name}`}
              deploymentId={deployment.id}
              isReadOnly={readOnly || isDeleting}
              empty="No releases yet. Drop a folder or a ZIP on Overview to make the first."
            />
          </Suspense>
        </TabPanel>
        <TabPanel value="settings">
          <Suspense fallback={<TabSkeleton />}>
            <DeploymentSettings deployment={deployment} isReadOnly={readOnly} onRemoved={leave} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </>
  );
}

function Overview({ deployment, isReadOnly: readOnly }: { deployment: Deployment; isReadOnly: boolean }) {
  const publication = usePublication(deployment.id);
  const [givenBack, setGivenBack] = useState<Picked | null>(null);
  useLeadToRelease(publication, { replace: false });
  useEffect(() => void import('./release.tsx'), []);
  const { currentRelease, latestRelease } = deployment;

  if (publication !== null && publication.state !== 'cancelled') {
    return (
      <Suspense fallback={null}>
        <SendingOverview publication={publication} serving={currentRelease} onBack={setGivenBack} />
      </Suspense>
    );
  }
  if (deployment.state === 'deleting') return null;
  return (
    <div className="flex flex-col gap-6">
      {latestRelease !== null && latestRelease.id !== currentRelease?.id && (
        <LatestNotice
          deploymentId={deployment.id}
          latest={latestRelease}
          serving={currentRelease}
          isReadOnly={readOnly}
        />
      )}
      {currentRelease !== null && <LiveCard deployment={deployment} current={currentRelease} />}
      <Suspense fallback={readOnly ? null : <PublishPlace isFirst={deployment.releaseCount === 0} />}>
        <PublishPart deployment={deployment} isReadOnly={readOnly} givenBack={givenBack} />
      </Suspense>
    </div>
  );
}

/** The place of what takes the folder, at its size. */
function PublishPlace({ isFirst }: { isFirst: boolean }) {
  return (
    <div
      aria-hidden
      className={`rounded-card border border-dashed border-line-control/60 bg-surface-sunken ${isFirst ? 'h-72' : 'h-52 sm:h-28'}`}
    />
  );
}

function TabSkeleton() {
  return (
    <Card>
      <SkeletonRows rows={5} />
    </Card>
  );
}

function DeploymentSkeleton() {
  return (
    <>
      <PageHeader title={<Skeleton className="h-7 w-44" />} description={<Skeleton className="mt-2 h-5 w-56" />} />
      <Skeleton className="mb-6 h-9 w-60" />
      <Card>
        <SkeletonRows rows={3} />
      </Card>
    </>
  );
}
