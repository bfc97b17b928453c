import { lazy, Suspense, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../routers/schemas/platforms/index.ts';
import { forgetAsked, setPendingDrop, useIsRestoring, usePendingDrop } from '../api/pending-drop.ts';
import { usePublication } from '../api/publication-store.ts';
import { useAskedFor } from '../api/upload-asked.ts';
import type { Picked } from '../api/upload-picks.ts';
import { usePublish } from '../api/use-publish.ts';
import { PageHeader } from '../components/page-header.tsx';
import { nameFromFolder } from '../features/deployments/create-draft.ts';
import { CreateForm } from '../features/deployments/create-form.tsx';
import { DropZone } from '../features/deployments/drop-zone.tsx';
import {
  type FolderReport,
  folderNoun,
  publishedFolder,
  takeBuildFolder,
} from '../features/deployments/folder-report.ts';
import { FolderSummaryLater } from '../features/deployments/folder-summary-later.tsx';
import { PlatformChoice } from '../features/deployments/platform-choice.tsx';
import { useFolderReport } from '../features/deployments/use-folder-report.ts';
import { useWhenIdle } from '../lib/later.ts';
import { href } from '../lib/paths.ts';

/** Of no use before something is sent; it and the page that follows are here by then. */
const loadSending = async () => ({ default: (await import('../features/releases/sending-first.tsx')).SendingFirst });
const loadNext = () => Promise.all([loadSending(), import('./release.tsx')]);
const Sending = lazy(loadSending);

/** Which deployment is being sent stands in the address; the files themselves are in the page's memory. */
const SENDING = 'deployment';

export function NewDeploymentScreen() {
  const [params, setParams] = useSearchParams();
  const sendingId = params.get(SENDING);
  const publication = usePublication(sendingId ?? '');
  const publish = usePublish();
  useWhenIdle(loadNext);
  const folder = usePendingDrop();
  const asked = useAskedFor(null);
  const isRestoring = useIsRestoring();
  const { report, setPublishAnyway } = useFolderReport(folder, asked);
  const [platform, setPlatform] = useState<PlatformId>('built-in');

  function start(deployment: Deployment, ready: FolderReport) {
    void publish(
      { deployment, folder: publishedFolder(ready), publishAnyway: ready.publishAnyway, isNew: true },
      () => {
        setParams({ [SENDING]: deployment.id }, { replace: true });
        setPendingDrop(null);
        forgetAsked();
      },
    );
  }

  if (publication?.isNew === true) {
    return (
      <Suspense fallback={null}>
        <Sending
          publication={publication}
          onBack={(back) => {
            setPendingDrop(back);
            setParams({}, { replace: true });
          }}
        />
      </Suspense>
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
          {report === null && (
            <DropZone asked={asked} isRestoring={isRestoring || folder !== null} onFolder={setPendingDrop} />
          )}
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
          report={report}
          blockedBecause={blockedBecause(folder, report)}
          onCreated={(deployment) => {
            if (report !== null) start(deployment, report);
          }}
        />
      </div>
    </>
  );
}

function blockedBecause(folder: Picked | null, report: FolderReport | null): string | null {
  if (folder === null) return 'Drop a folder or a ZIP first.';
  if (report === null) return 'The files are being read.';
  return report.reading.refusal === null ? null : `The ${folderNoun(folder)} cannot be published as it is.`;
}
