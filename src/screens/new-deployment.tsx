import { lazy, Suspense } from 'react';
import { Link, Navigate } from 'react-router';
import { usePublication } from '../api/publication-store.ts';
import { PageHeader } from '../components/page-header.tsx';
import { CreateForm } from '../features/deployments/create-form.tsx';
import { FilesPart } from '../features/deployments/files-part.tsx';
import { PlatformChoice } from '../features/deployments/platform-choice.tsx';
import { useNewDeployment } from '../features/deployments/use-new-deployment.ts';
import { useWhenIdle } from '../lib/later.ts';
import { href, paths } from '../lib/paths.ts';

/** Of no use before something is sent; it and the page that follows are here by then. */
const loadSending = async () => ({ default: (await import('../features/releases/sending-first.tsx')).SendingFirst });
const loadNext = () => Promise.all([loadSending(), import('./release.tsx')]);
const Sending = lazy(loadSending);

export function NewDeploymentScreen() {
  const making = useNewDeployment({ namedBy: 'typed' });
  const { deploymentId, startAgain } = making;
  const publication = usePublication(deploymentId ?? '');
  useWhenIdle(loadNext);

  if (publication?.isNew === true) {
    return (
      <Suspense fallback={null}>
        <Sending publication={publication} onBack={startAgain} />
      </Suspense>
    );
  }
  // After a reload the files are gone from the page; the deployment is there and takes the folder again.
  if (deploymentId !== null) return <Navigate to={href.deployment(deploymentId)} replace />;
  return (
    <>
      <PageHeader title="New Deployment" description={<OtherWays />} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
        <div className="flex min-w-0 flex-col gap-4">
          <FilesPart files={making.files} />
          <PlatformChoice value={making.platform} onChange={making.setPlatform} />
        </div>
        <CreateForm making={making} />
      </div>
    </>
  );
}

/** The same way, shorter or with more words. */
function OtherWays() {
  const look = 'rounded-tight text-accent underline';
  return (
    <>
      In a hurry?{' '}
      <Link to={paths.quickDeploy} className={look}>
        Quick Deploy
      </Link>
      . The first time?{' '}
      <Link to={paths.guidedDeployment} className={look}>
        Guided Deployment
      </Link>
      .
    </>
  );
}
