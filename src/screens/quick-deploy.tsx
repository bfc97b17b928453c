import { Link } from 'react-router';
import { HostName } from '../components/host-name.tsx';
import { FilesPart } from '../features/deployments/files-part.tsx';
import { PublishForm } from '../features/deployments/publish-form.tsx';
import { isClear, useQuickPublish } from '../features/deployments/quick-publish.ts';
import { addressOfSlug } from '../features/deployments/sites-address.ts';
import { type NewDeployment, useNewDeployment } from '../features/deployments/use-new-deployment.ts';
import { Deploying } from '../layouts/deploying.tsx';
import { paths } from '../lib/paths.ts';

export function QuickDeployScreen() {
  const making = useNewDeployment({ namedBy: 'folder' });
  return (
    <Deploying
      making={making}
      title="Quick Deploy"
      description="Drop a folder or a ZIP, and it is live on the built-in host."
    >
      <Choosing making={making} />
    </Deploying>
  );
}

function Choosing({ making }: { making: NewDeployment }) {
  const { files } = making;
  const { choose, goesByItself } = useQuickPublish(making);
  return (
    <div className="flex max-w-reading flex-col gap-4">
      <FilesPart
        files={files}
        onChoose={choose}
        title="Drop a folder or a ZIP to publish it at once"
        description="It is read first, and goes live under its own name. What has to be decided is asked before."
        footer={
          <div className="p-4 sm:p-5">
            <PublishForm making={making}>
              <Asked making={making} goesByItself={goesByItself} />
            </PublishForm>
          </div>
        }
      />
      {files.report === null && (
        <p className="text-sm text-ink-muted">
          To choose the name and the address before, use{' '}
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            New Deployment
          </Link>
          .
        </p>
      )}
    </div>
  );
}

/** Where it goes, and why it waits. */
function Asked({ making, goesByItself }: { making: NewDeployment; goesByItself: boolean }) {
  const { files, name, nameProblem, address } = making;
  if (files.report === null || making.blockedBecause !== null) return null;
  return (
    <div>
      {nameProblem === undefined ? (
        <p className="wrap-anywhere">
          It goes live as <span className="font-medium">{name}</span>
          {address?.slug ? (
            <>
              , at <HostName name={addressOfSlug(address.slug)} fit="wrap" />
            </>
          ) : null}
          .
        </p>
      ) : (
        <p className="text-bad">
          {nameProblem}{' '}
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose a name
          </Link>
        </p>
      )}
      {!goesByItself && !isClear(files.report) && (
        <p className="mt-1 text-sm text-ink-muted">
          Have a look at what was found. Publish it as it is, or replace the files.
        </p>
      )}
      {!goesByItself && nameProblem === undefined && (
        <p className="mt-1 text-sm text-ink-muted">
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose another name
          </Link>
        </p>
      )}
    </div>
  );
}
