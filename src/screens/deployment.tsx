import { ExternalLink, FolderUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useParams, useSearchParams } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { PLATFORM_TITLES } from '../../routers/schemas/platforms/titles.ts';
import { isNothing } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { showToast } from '../components/overlays/toast-store.ts';
import { Beside } from '../components/page/error-boundary.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { TabPanel, Tabs } from '../components/page/tabs.tsx';
import { Skeleton, SkeletonRows } from '../components/skeleton.tsx';
import { PlatformMark } from '../components/states/platform-mark.tsx';
import { StateBadge } from '../components/states/state-badge.tsx';
import { useDisplayState } from '../features/deployments/display-state.ts';
import type { DraftNoticeProps } from '../features/deployments/edit/draft-notice.tsx';
import { AbsentDeployment } from '../features/deployments/manage/absent-deployment.tsx';
import { DeploymentMenu } from '../features/deployments/manage/deployment-menu.tsx';
import {
  DeploymentSettings,
  type DeploymentSettingsProps,
} from '../features/deployments/manage/deployment-settings.tsx';
import { DestinationList } from '../features/deployments/manage/destination-list.tsx';
import { LostConnectionNotices } from '../features/deployments/manage/lost-connection-notices.tsx';
import { PublishSection } from '../features/deployments/manage/publish-section.tsx';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { DomainList } from '../features/domains/domain-list.tsx';
import { DomainsFact } from '../features/domains/domains-fact.tsx';
import { GoneFiles } from '../features/releases/gone-files.tsx';
import { ReleaseList } from '../features/releases/history/release-list.tsx';
import { LatestNotice } from '../features/releases/latest-notice.tsx';
import { LatestHandOff } from '../features/releases/progress/hand-off-panel.tsx';
import { sendingRelease } from '../features/releases/progress/lazy-sending.ts';
import { LiveCard } from '../features/releases/progress/live-card.tsx';
import { UnchangedNotice } from '../features/releases/progress/sending-notices.tsx';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { cancelledToast } from '../features/releases/release-labels.ts';
import { BetaBadge } from '../features/user/beta-badge.tsx';
import { ConnectInPlace } from '../flows/connect-in-place.tsx';
import { useNavigate } from '../lib/browser/location.ts';
import { usePageTitle } from '../lib/browser/page-title.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { paths } from '../lib/paths/paths.ts';
import { othersOf, primaryOf } from '../lib/primary-destination.ts';
import { LOCAL_KEYS } from '../lib/storage/storage.ts';
import { leaveChosen, setChosen, useChosen } from '../uploads/chosen-selections.ts';
import { isOver, leaveUnchanged, type Sending, useSending } from '../uploads/sendings.ts';

/** Most browsers hold no edits. */
const draftNotice = lazyComponent<DraftNoticeProps>(
  async () => (await import('../features/deployments/edit/draft-notice.tsx')).DraftNotice,
);

const deletingNotice = lazyComponent(
  async () => (await import('../features/deployments/manage/deleting-notice.tsx')).DeletingNotice,
);

export function DeploymentScreen() {
  const { deploymentId = '' } = useParams();
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  usePageTitle(deployment.data?.name);
  useEffect(
    () => () => {
      leaveChosen(deploymentId);
      leaveUnchanged(deploymentId);
    },
    [deploymentId],
  );

  // It may be deleted while its page is open.
  if (deployment.data && !isNothing(deployment.error)) return <DeploymentPage deployment={deployment.data} />;
  if (deployment.error) {
    return (
      <>
        <PageHeader
          title="Deployment"
          crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: 'Deployment' }]}
        />
        {isNothing(deployment.error) && <GoneFiles deploymentId={deploymentId} name={deployment.data?.name} />}
        <Card>
          <AbsentDeployment question={deployment} />
        </Card>
      </>
    );
  }
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

const TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'releases', label: 'Releases' },
  { value: 'domains', label: 'Domains' },
  { value: 'settings', label: 'Settings' },
] as const;

function DeploymentPage({ deployment }: { deployment: Deployment }) {
  const navigate = useNavigate();
  const { user } = useUser();
  const allowance = trpc.subscription.allowance.useQuery();
  const isDeleting = deployment.state === 'deleting';
  const readOnly = isReadOnly(allowance.data, deployment.id);
  const state = useDisplayState(deployment, readOnly);
  const leave = () => navigate(paths.deployments);
  const sending = useSending(deployment.id);
  if (sending !== null && !isOver(sending) && !isDeleting) {
    return <SendingNext deployment={deployment} sending={sending} />;
  }
  return (
    <>
      <PageHeader
        title={deployment.name}
        badge={
          <>
            <StateBadge state={state} />
            {user?.isBetaTester && <BetaBadge />}
          </>
        }
        crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: deployment.name }]}
        description={
          <span className="flex min-w-0 flex-wrap items-center gap-x-3">
            <ReleaseAddress url={deployment.visitUrl} />
            {deployment.destinations.map(({ id, platform }) => (
              <span key={id} className="flex items-center gap-1.5 text-sm">
                <PlatformMark platform={platform} className="size-3.5" />
                {PLATFORM_TITLES[platform]}
              </span>
            ))}
          </span>
        }
        actions={<PageActs deployment={deployment} isReadOnly={readOnly} onRemoved={leave} />}
      />
      {isDeleting && <GoneFiles deploymentId={deployment.id} name={deployment.name} />}
      {isDeleting && (
        <Beside>
          <deletingNotice.Component deployment={deployment} />
        </Beside>
      )}
      {!readOnly && <LostConnectionNotices deployment={deployment} />}
      {sending?.state === 'unchanged' && <UnchangedNotice sending={sending} />}
      <ConnectInPlace>
        <Parts
          deployment={deployment}
          isReadOnly={readOnly}
          domainsMax={allowance.data?.customDomains}
          onRemoved={leave}
        />
      </ConnectInPlace>
    </>
  );
}

function PageActs(props: DeploymentSettingsProps) {
  const { visitUrl, state, currentRelease, releaseCount } = props.deployment;
  const isDeleting = state === 'deleting';
  return (
    <>
      {currentRelease !== null && !isDeleting && (
        <Button asChild>
          <a href={visitUrl} target="_blank" rel="noreferrer">
            Visit <ExternalLink />
          </a>
        </Button>
      )}
      {!props.isReadOnly && releaseCount > 0 && !isDeleting && (
        <Button asChild>
          <Link to="#publish">
            <FolderUp /> Publish again
          </Link>
        </Button>
      )}
      <DeploymentMenu {...props} />
    </>
  );
}

type PartsProps = DeploymentSettingsProps & { domainsMax: number | null | undefined };

function Parts({ deployment, isReadOnly: readOnly, domainsMax, onRemoved }: PartsProps) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find(({ value }) => value === params.get('tab'))?.value ?? 'overview';
  const isDeleting = deployment.state === 'deleting';
  return (
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
        <ReleaseList
          label={`Releases of ${deployment.name}`}
          deploymentId={deployment.id}
          isReadOnly={() => readOnly || isDeleting}
          empty="No releases yet. Publish a folder or a ZIP on Overview to make the first."
        />
      </TabPanel>
      <TabPanel value="domains">
        <DomainList
          deployments={[deployment]}
          deploymentId={deployment.id}
          isReadOnly={() => readOnly || isDeleting}
          limit={domainsMax}
        />
      </TabPanel>
      <TabPanel value="settings">
        <DeploymentSettings deployment={deployment} isReadOnly={readOnly} onRemoved={onRemoved} />
      </TabPanel>
    </Tabs>
  );
}

/** Shows another release on its way, in place of the deployment's usual content. */
function SendingNext({ deployment, sending }: { deployment: Deployment; sending: Sending }) {
  const { currentRelease: serving, releaseCount, platform } = deployment;
  const [coming, setComing] = useState(releaseCount + 1);
  // While it is made, the server counts it a moment before that answer is here.
  if (sending.state !== 'creating' && coming !== releaseCount + 1) setComing(releaseCount + 1);
  const others = othersOf(deployment).filter(({ state }) => state !== 'removing');
  const leave = () => {
    sending.control.cancel();
    sending.control.forget();
  };
  const cancel = () => {
    leave();
    // Files that only the stored copy of an earlier page has are not given back.
    if (!sending.isRestored) setChosen(deployment.id, sending.selection);
    showToast(cancelledToast(serving?.number ?? null, !sending.isRestored));
  };
  return (
    <sendingRelease.Component
      sending={sending}
      number={sending.release?.number ?? coming}
      platform={platform}
      others={others.map((one) => one.platform)}
      serving={serving}
      onCancel={sending.state === 'creating' || sending.state === 'done' ? null : cancel}
      onReplace={leave}
    />
  );
}

function Overview({ deployment, isReadOnly: readOnly }: { deployment: Deployment; isReadOnly: boolean }) {
  const isChosen = useChosen(deployment.id) !== null;
  useEffect(() => {
    if (isChosen) void sendingRelease.fetch();
  }, [isChosen]);
  const { currentRelease, latestRelease } = deployment;
  if (deployment.state === 'deleting') return null;
  return (
    <div className="flex flex-col gap-6">
      {latestRelease !== null && latestRelease.id !== currentRelease?.id && (
        <LatestNotice
          deploymentId={deployment.id}
          platform={deployment.platform}
          latest={latestRelease}
          serving={currentRelease}
          isWaiting={primaryOf(deployment)?.state === 'waiting'}
          isReadOnly={readOnly}
        />
      )}
      <LatestHandOff deployment={deployment} isReadOnly={readOnly} />
      {currentRelease !== null && (
        <LiveCard deployment={deployment} current={currentRelease} isReadOnly={readOnly}>
          <DomainsFact deploymentId={deployment.id} />
        </LiveCard>
      )}
      {deployment.destinations.length > 1 && <DestinationList deployment={deployment} isReadOnly={readOnly} />}
      <Beside>
        {localStorage.getItem(LOCAL_KEYS.edits) && <draftNotice.Component deploymentId={deployment.id} />}
      </Beside>
      <PublishSection deployment={deployment} isReadOnly={readOnly} />
    </div>
  );
}
