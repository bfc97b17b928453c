import { Download, ExternalLink, FolderUp } from 'lucide-react';
import { Link, useParams } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useDownload } from '../api/use-download.ts';
import { Button } from '../components/button.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { FailedState } from '../components/failed-state.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Setting } from '../components/setting.tsx';
import { Size } from '../components/size.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { StateBadge } from '../components/state-badge.tsx';
import { Time } from '../components/time.tsx';
import { deploymentDisplayState } from '../features/deployments/display-state.ts';
import { AbsentDeployment } from '../features/deployments/manage/absent-deployment.tsx';
import { isReadOnly, readOnlyLabels } from '../features/deployments/plan-labels.ts';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { href, paths } from '../lib/paths.ts';

const TITLE = 'Deployment editor';

/** The files of a deployment, and the way to change them that there is: take them along and publish them again. */
export function DeploymentEditorScreen() {
  const { deploymentId = '' } = useParams();
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  if (deployment.data) return <EditorPage deployment={deployment.data} />;
  return (
    <div className="max-w-reading">
      <PageHeader title={TITLE} crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: TITLE }]} />
      <Card>{deployment.error ? <AbsentDeployment question={deployment} /> : <SkeletonRows rows={3} />}</Card>
    </div>
  );
}

function EditorPage({ deployment }: { deployment: Deployment }) {
  const allowance = trpc.subscription.allowance.useQuery();
  const readOnly = isReadOnly(allowance.data, deployment.id);
  const { id, name, url, currentRelease, state } = deployment;
  const isServing = currentRelease !== null && state !== 'deleting';
  return (
    <div className="max-w-reading">
      <PageHeader
        title={TITLE}
        badge={<StateBadge state={deploymentDisplayState(deployment, readOnly)} />}
        description={<ReleaseAddress url={url} />}
        crumbs={[
          { label: 'Deployments', to: paths.deployments },
          { label: name, to: href.deployment(id) },
          { label: TITLE },
        ]}
        actions={
          isServing && (
            <Button asChild>
              <a href={url} target="_blank" rel="noreferrer">
                Visit <ExternalLink />
              </a>
            </Button>
          )
        }
      />
      <Notice tone="quiet" title="Editing in the browser is not available in this version" className="mb-6">
        Change the files on your computer and publish them again: only what changed is sent.
      </Notice>
      <Card className="divide-y divide-line">
        <CardHeader title={`Change the files of ${name}`} />
        <KeptFiles deployment={deployment} />
        {state !== 'deleting' && (
          <PublishStep deployment={deployment} wanting={readOnly ? readOnlyLabels(allowance.data) : null} />
        )}
      </Card>
    </div>
  );
}

/** The files that are live, else those that came last. */
function KeptFiles({ deployment: { id, state, currentRelease, latestRelease } }: { deployment: Deployment }) {
  const kept = currentRelease ?? latestRelease;
  const release = trpc.releases.get.useQuery(
    { deploymentId: id, number: kept?.number ?? 1 },
    { enabled: kept !== null },
  );
  const download = useDownload();
  if (kept === null || state === 'deleting') {
    return (
      <Setting title="No files yet">
        <p>{state === 'deleting' ? 'The deployment is being deleted.' : 'Nothing was published here so far.'}</p>
      </Setting>
    );
  }
  const failure = shownFailure('The release could not be fetched', release.error);
  if (failure !== null) return <FailedState failure={failure} question={release} />;
  if (release.data === undefined) return <SkeletonRows rows={1} />;
  const { number, fileCount, totalBytes, createdAt } = release.data;
  return (
    <Setting
      title={
        currentRelease === null
          ? `Take the files of release ${number}`
          : `Take the files of release ${number}, which is live`
      }
      action={
        <Button
          isBusy={download.isPending}
          busyLabel="Preparing…"
          onClick={() => download.mutate({ releaseId: kept.id })}
        >
          <Download /> Download as ZIP
        </Button>
      }
    >
      <p className="tabular-nums">
        {formatCount(fileCount, 'file')}, <Size bytes={totalBytes} />, published <Time at={createdAt} />
      </p>
    </Setting>
  );
}

function PublishStep({
  deployment: { id, releaseCount, currentRelease },
  wanting,
}: {
  deployment: Deployment;
  /** What it takes to publish; null where nothing is wanting. */
  wanting: ReturnType<typeof readOnlyLabels> | null;
}) {
  if (wanting !== null) {
    return (
      <Setting
        title="Publish them again"
        action={
          <Button asChild>
            <Link to={paths.subscriptionPricing}>{wanting.action}</Link>
          </Button>
        }
      >
        <p>What is live stays live. {wanting.text}</p>
      </Setting>
    );
  }
  return (
    <Setting
      title={releaseCount === 0 ? 'Publish the first files' : 'Publish them again'}
      action={
        <Button variant="primary" asChild>
          <Link to={`${href.deployment(id)}#publish`}>
            <FolderUp /> {releaseCount === 0 ? 'Publish' : 'Publish again'}
          </Link>
        </Button>
      }
    >
      <p>
        They become release {releaseCount + 1}.
        {currentRelease !== null &&
          ` Release ${currentRelease.number} stays live until the new one has been seen to work.`}
      </p>
    </Setting>
  );
}
