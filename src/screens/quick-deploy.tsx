import { Suspense } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { ListedRelease } from '../../routers/schemas/releases.ts';
import { HostName } from '../components/host-name.tsx';
import { Notice } from '../components/notice.tsx';
import { useNamesakes, useNewName } from '../features/deployments/create/name-field.tsx';
import { NewDeploymentForm, useNewDeployment } from '../features/deployments/create/new-deployment-form.tsx';
import { PublishForm } from '../features/deployments/create/publish-form.tsx';
import { isClear, useQuickPublish } from '../features/deployments/create/quick-publish.ts';
import { TwinText, useTwin } from '../features/deployments/create/twin.tsx';
import { usePlanBlocker } from '../features/deployments/create/use-plan-blocker.ts';
import { namesakesText } from '../features/deployments/namesakes.ts';
import { rankReasons } from '../features/deployments/rank/lazy-parts.ts';
import { recommendedIn } from '../features/deployments/rank/use-ranking.ts';
import { FilesStep } from '../features/deployments/select/files-step.tsx';
import { DeploymentFlow } from '../flows/deployment-flow.tsx';
import { paths } from '../lib/paths/paths.ts';
import { addressOfSlug, reachText } from '../lib/sites-address.ts';
import { selectionTitle } from '../uploads/selection/selection.ts';

export function QuickDeployScreen() {
  return (
    <DeploymentFlow
      title="Quick Deploy"
      description={`One folder or ZIP, live at once on the built-in host${reachText()}.`}
    >
      <NewDeploymentForm namedBy="folder">
        <Choosing />
      </NewDeploymentForm>
    </DeploymentFlow>
  );
}

function Choosing() {
  const { chosen, room } = useNewDeployment();
  const namesakes = useNamesakes();
  const twin = useTwin();
  const others = twin === undefined ? undefined : namesakes;
  const { choose, goesByItself } = useQuickPublish(others && [...others, ...(twin ? [twin] : [])]);
  return (
    <div className="flex max-w-reading flex-col gap-4">
      <FilesStep
        chosen={chosen}
        room={room}
        onChoose={choose}
        title="Drop a folder or a ZIP to publish it at once"
        description="We check the folder first and ask only if something needs your decision."
        footer={
          <div className="p-4 sm:p-5">
            <PublishForm isReady={others !== undefined}>
              <QuickDestination goesByItself={goesByItself} namesakes={namesakes ?? []} twin={twin ?? null} />
            </PublishForm>
            <LateWords isTaken={namesakes !== undefined && namesakes.length > 0} goesByItself={goesByItself} />
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

type QuickDestinationProps = {
  goesByItself: boolean;
  namesakes: readonly Deployment[];
  twin: ListedRelease | null;
};

/** Shows the name that the site will have, who has it already, and any reason why it cannot be published. */
function QuickDestination({ goesByItself, namesakes, twin }: QuickDestinationProps) {
  const { chosen, blockedBecause } = useNewDeployment();
  const { blocker } = usePlanBlocker();
  const { name, problem } = useNewName();
  if (chosen.report === null || blockedBecause !== null) return null;
  return (
    <div className="empty:hidden">
      {namesakes.length > 0 && (
        <Notice tone="warn" className="mb-3">
          {namesakesText(namesakes)}
        </Notice>
      )}
      {namesakes.length === 0 && twin !== null && (
        <Notice tone="warn" title="These files are live already." className="mb-3">
          <TwinText twin={twin} />{' '}
          {blocker === null && 'Publishing makes another deployment, at an address of its own.'}
        </Notice>
      )}
      {problem !== undefined ? (
        <p className="text-bad">
          {problem}{' '}
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose a name
          </Link>
        </p>
      ) : (
        // The title of the files is most often the name.
        blocker === null &&
        name !== selectionTitle(chosen.report.selection) && (
          <p className="wrap-anywhere">
            It goes live as <span className="font-medium">{name}</span>.
          </p>
        )
      )}
      {!goesByItself && !isClear(chosen.report) && (
        <p className="mt-1 text-sm text-ink-muted">Check what was found. Publish it as it is, or replace the files.</p>
      )}
    </div>
  );
}

/** Shows facts that arrive a moment after the files: above Publish they would move the button while it is pressed. */
function LateWords({ isTaken, goesByItself }: { isTaken: boolean; goesByItself: boolean }) {
  const { chosen, blockedBecause, ranker } = useNewDeployment();
  const { blocker } = usePlanBlocker();
  const { problem, address, isChecked } = useNewName();
  if (chosen.report === null || blockedBecause !== null) return null;
  const hasAddress = !isTaken && blocker === null && problem === undefined;
  // It comes first, and would move the rest.
  if (hasAddress && !isChecked) return null;
  const place = ranker.ranking?.find(({ platform }) => platform === 'built-in');
  return (
    <div className="mt-4">
      {hasAddress && address?.slug ? (
        <p className="wrap-anywhere">
          {address.slug !== address.wanted && (
            <>
              <HostName name={addressOfSlug(address.wanted)} fit="wrap" /> is taken.{' '}
            </>
          )}
          It will be live at <HostName name={addressOfSlug(address.slug)} fit="wrap" />
          {reachText()}.
        </p>
      ) : null}
      {!goesByItself && problem === undefined && blocker === null && (
        <p className="mt-1 text-sm text-ink-muted">
          <Link to={paths.newDeployment} className="rounded-tight text-accent underline">
            Choose another name or platform
          </Link>
        </p>
      )}
      {place !== undefined && (
        <Suspense>
          <rankReasons.Component ranked={place} isRecommended={place === recommendedIn(ranker.ranking)} />
        </Suspense>
      )}
    </div>
  );
}
