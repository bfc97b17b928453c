import { Suspense } from 'react';
import { Link } from 'wouter';
import { HostName } from '../components/host-name.tsx';
import { NamesakeHint, useNewName } from '../features/deployments/create/name-field.tsx';
import { NewDeploymentForm, useNewDeployment } from '../features/deployments/create/new-deployment-form.tsx';
import { PublishForm } from '../features/deployments/create/publish-form.tsx';
import { isClear, useQuickPublish } from '../features/deployments/create/quick-publish.ts';
import { rankReasons } from '../features/deployments/rank/lazy-parts.ts';
import { recommendedIn } from '../features/deployments/rank/use-ranking.ts';
import { FilesStep } from '../features/deployments/select/files-step.tsx';
import { addressOfSlug } from '../features/deployments/sites-address.ts';
import { DeploymentFlow } from '../flows/deployment-flow.tsx';
import { paths } from '../lib/paths.ts';
import { selectionTitle } from '../uploads/selection/selection.ts';

export function QuickDeployScreen() {
  return (
    <DeploymentFlow title="Quick Deploy" description="One folder or ZIP, live at once.">
      <NewDeploymentForm namedBy="folder">
        <Choosing />
      </NewDeploymentForm>
    </DeploymentFlow>
  );
}

function Choosing() {
  const { chosen } = useNewDeployment();
  const { choose, goesByItself } = useQuickPublish();
  return (
    <div className="flex max-w-reading flex-col gap-4">
      <FilesStep
        chosen={chosen}
        onChoose={choose}
        title="Drop a folder or a ZIP to publish it at once"
        description="We check the folder first and ask only if something needs your decision."
        footer={
          <div className="p-4 sm:p-5">
            <PublishForm>
              <QuickDestination goesByItself={goesByItself} />
            </PublishForm>
            <LateWords />
          </div>
        }
      />
      {chosen.report === null && (
        <p className="text-sm text-ink-muted">
          Want to pick the name and address? Use{' '}
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            New Deployment
          </Link>
          .
        </p>
      )}
    </div>
  );
}

/** Shows the name that the site will have, and any reason why it cannot be published. */
function QuickDestination({ goesByItself }: { goesByItself: boolean }) {
  const { chosen, blockedBecause } = useNewDeployment();
  const { name, problem } = useNewName();
  if (chosen.report === null || blockedBecause !== null) return null;
  return (
    <div className="empty:hidden">
      {problem !== undefined ? (
        <p className="text-bad">
          {problem}{' '}
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose a name
          </Link>
        </p>
      ) : (
        // The title of the files is most often the name.
        name !== selectionTitle(chosen.report.selection) && (
          <p className="wrap-anywhere">
            It goes live as <span className="font-medium">{name}</span>.
          </p>
        )
      )}
      {!goesByItself && !isClear(chosen.report) && (
        <p className="mt-1 text-sm text-ink-muted">Check what was found. Publish it as it is, or replace the files.</p>
      )}
      {!goesByItself && problem === undefined && (
        <p className="mt-1 text-sm text-ink-muted">
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose another name or platform
          </Link>
        </p>
      )}
    </div>
  );
}

/** Shows facts that arrive a moment after the files: above Publish they would move the button while it is pressed. */
function LateWords() {
  const { chosen, blockedBecause, ranker } = useNewDeployment();
  const { problem, address } = useNewName();
  if (chosen.report === null || blockedBecause !== null) return null;
  const place = ranker.ranking?.find(({ platform }) => platform === 'built-in');
  return (
    <div className="mt-4">
      {problem === undefined && address?.slug ? (
        <p className="wrap-anywhere">
          It will be live at <HostName name={addressOfSlug(address.slug)} fit="wrap" />.
        </p>
      ) : null}
      <p className="mt-1 text-sm text-ink-muted empty:hidden">
        <NamesakeHint />
      </p>
      {place !== undefined && (
        <Suspense>
          <rankReasons.Component ranked={place} isRecommended={place === recommendedIn(ranker.ranking)} />
        </Suspense>
      )}
    </div>
  );
}
