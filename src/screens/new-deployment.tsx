import { lazy, Suspense, useEffect, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../routers/schemas/platforms/index.ts';
import { setPendingDrop, usePendingDrop } from '../api/pending-drop.ts';
import { cancelPublication, forgetPublication, type Publication, usePublication } from '../api/publication-store.ts';
import { trpc } from '../api/trpc.ts';
import type { PickedFolder } from '../api/upload-folder.ts';
import { usePublish } from '../api/use-publish.ts';
import { Button } from '../components/button.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { nameFromFolder } from '../features/deployments/create-draft.ts';
import { CreateForm } from '../features/deployments/create-form.tsx';
import { DropZone } from '../features/deployments/drop-zone.tsx';
import { type FolderReport, publishedFolder, takeBuildFolder } from '../features/deployments/folder-report.ts';
import { FolderSummaryLater } from '../features/deployments/folder-summary-later.tsx';
import { PlatformChoice } from '../features/deployments/platform-choice.tsx';
import { useFolderReport } from '../features/deployments/use-folder-report.ts';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { useLeadToRelease } from '../features/releases/use-lead-to-release.ts';
import { useWhenIdle } from '../lib/later.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { href } from '../lib/paths.ts';

const loadPanel = async () => ({ default: (await import('../features/releases/sending-panel.tsx')).SendingPanel });
/** Of no use before something is sent; it is here by then. */
const SendingPanel = lazy(loadPanel);

/** Which deployment is being sent stands in the address; the files themselves are in the page's memory. */
const SENDING = 'deployment';

export function NewDeploymentScreen() {
  const [params, setParams] = useSearchParams();
  const sendingId = params.get(SENDING);
  const publication = usePublication(sendingId ?? '');
  const publish = usePublish();
  useWhenIdle(loadPanel);
  const folder = usePendingDrop();
  const { report, setPublishAnyway } = useFolderReport(folder);
  const [platform, setPlatform] = useState<PlatformId>('built-in');

  function start(deployment: Deployment, ready: FolderReport) {
    void publish(
      { deployment, folder: publishedFolder(ready), publishAnyway: ready.publishAnyway, isNew: true },
      () => {
        setParams({ [SENDING]: deployment.id }, { replace: true });
        setPendingDrop(null);
      },
    );
  }

  if (publication?.isNew === true) {
    return (
      <Sending
        publication={publication}
        onBack={(back) => {
          setPendingDrop(back);
          setParams({}, { replace: true });
        }}
      />
    );
  }
  // After a reload the files are gone from the page; the deployment is there and takes the folder again.
  if (sendingId !== null) return <Navigate to={href.deployment(sendingId)} replace />;
  const build = report === null ? null : takeBuildFolder(report);
  return (
    <>
      <PageHeader title="New Deployment" />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="flex min-w-0 flex-col gap-4">
          {folder === null && <DropZone onFolder={setPendingDrop} />}
          {report !== null && (
            <FolderSummaryLater
              report={report}
              onReplace={() => setPendingDrop(null)}
              onPublishAnyway={setPublishAnyway}
              onTakeBuildFolder={build === null ? null : () => setPendingDrop(build)}
            />
          )}
          <PlatformChoice value={platform} onChange={setPlatform} />
        </div>
        <CreateForm
          suggestedName={folder === null ? '' : nameFromFolder(folder.name)}
          platform={platform}
          blockedBecause={blockedBecause(folder, report)}
          onCreated={(deployment) => {
            if (report !== null) start(deployment, report);
          }}
        />
      </div>
    </>
  );
}

function blockedBecause(folder: PickedFolder | null, report: FolderReport | null): string | null {
  if (folder === null) return 'Drop a folder first.';
  if (report === null) return 'The folder is being read.';
  return report.reading.refusal === null ? null : 'The folder cannot be published as it is.';
}

type SendingProps = { publication: Publication; onBack: (folder: PickedFolder) => void };

/** The deployment exists from here on: its address is the real one. */
function Sending({ publication, onBack }: SendingProps) {
  const navigate = useNavigate();
  const remove = trpc.deployments.remove.useMutation();
  const { deploymentId, deploymentName, state, folder } = publication;

  usePageTitle(deploymentName);
  useLeadToRelease(publication, { replace: true });
  useEffect(() => void import('./release.tsx'), []);

  /** Nothing of it was ever published: cancelling takes the draft away and keeps the folder. */
  function cancel() {
    cancelPublication(deploymentId);
    remove.mutate({ deploymentId });
    forgetPublication(deploymentId);
    onBack(folder);
  }

  return (
    <>
      <PageHeader
        title={deploymentName}
        description={<ReleaseAddress url={publication.url} />}
        actions={
          <Button onClick={cancel} disabled={state === 'creating' || state === 'done'}>
            Cancel
          </Button>
        }
      />
      <Suspense fallback={null}>
        <SendingPanel
          publication={publication}
          onReplace={() => void navigate(`${href.deployment(deploymentId)}#publish`)}
          aside="The site is live once every file was fetched and compared."
        />
      </Suspense>
    </>
  );
}
