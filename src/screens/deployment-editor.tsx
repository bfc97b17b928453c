import { Download, ExternalLink } from 'lucide-react';
import { useParams, useSearchParams } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { trpc } from '../api/trpc.ts';
import { useDownload } from '../api/use-download.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { StateBadge } from '../components/states/state-badge.tsx';
import { useDisplayState } from '../features/deployments/display-state.ts';
import { EditFiles } from '../features/deployments/edit/edit-files.tsx';
import { AbsentDeployment } from '../features/deployments/manage/absent-deployment.tsx';
import { LostConnectionNotices } from '../features/deployments/manage/lost-connection-notices.tsx';
import { ReadOnlyNotice } from '../features/deployments/manage/read-only-notice.tsx';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { templateId } from '../features/deployments/templates/templates.ts';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { href, paths } from '../lib/paths/paths.ts';

const TITLE = 'Deployment editor';

/** Changes the files of a deployment without a terminal and publishes them as a new release. */
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
  const [params] = useSearchParams();
  const readOnly = isReadOnly(allowance.data, deployment.id);
  const release = releaseOf(params);
  const { id, name, url, currentRelease: current } = deployment;
  const isDeleting = deployment.state === 'deleting';
  return (
    <>
      <PageHeader
        title={TITLE}
        description={
          <>
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <ReleaseAddress url={url} />
              <StateBadge state={useDisplayState(deployment, readOnly)} />
            </div>
            {release !== null && current !== null && release !== current.number && (
              <p>
                Files of release {release}; release {current.number} is live.
              </p>
            )}
          </>
        }
        crumbs={[
          { label: 'Deployments', to: paths.deployments },
          { label: name, to: href.deployment(id) },
          { label: TITLE },
        ]}
        actions={!isDeleting && <PageActs deployment={deployment} />}
      />
      {readOnly && (
        <div className="mb-4">
          <ReadOnlyNotice />
        </div>
      )}
      {!readOnly && !isDeleting && <LostConnectionNotices deployment={deployment} />}
      {isDeleting ? (
        <Notice tone="quiet">{name} is being deleted.</Notice>
      ) : (
        <EditFiles
          deployment={deployment}
          releaseNumber={release}
          template={templateId(params.get('template'))}
          isReadOnly={readOnly}
        />
      )}
    </>
  );
}

function PageActs({ deployment: { visitUrl, currentRelease, latestRelease } }: { deployment: Deployment }) {
  const download = useDownload();
  const release = currentRelease ?? latestRelease;
  return (
    <>
      {release !== null && (
        <Button
          isBusy={download.isPending}
          busyLabel="Preparing…"
          onClick={() => download.mutate({ releaseId: release.id })}
        >
          <Download /> Download as ZIP
        </Button>
      )}
      {currentRelease !== null && (
        <Button asChild>
          <a href={visitUrl} target="_blank" rel="noreferrer">
            Visit <ExternalLink />
          </a>
        </Button>
      )}
    </>
  );
}

function releaseOf(params: URLSearchParams): number | null {
  const release = Number(params.get('release'));
  return Number.isSafeInteger(release) && release > 0 ? release : null;
}
