import { useEffect } from 'react';
import { Link, Redirect, useSearchParams } from 'wouter';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import { CONNECTION_PROVIDERS } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { trpc } from '../api/trpc.ts';
import { Card } from '../components/card.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { useNewDeploymentContext } from '../features/deployments/create/below-folder.ts';
import { ComingAddress } from '../features/deployments/create/coming-address.tsx';
import { NameField } from '../features/deployments/create/name-field.tsx';
import {
  NewDeploymentForm,
  useNewDeployment,
  useNewDeploymentFields,
} from '../features/deployments/create/new-deployment-form.tsx';
import { PlanLine } from '../features/deployments/create/plan-line.tsx';
import { PlatformChoice } from '../features/deployments/create/platform-choice.tsx';
import { PublishForm } from '../features/deployments/create/publish-form.tsx';
import { usePlanBlocker } from '../features/deployments/create/use-plan-blocker.ts';
import { useStartedDeployment } from '../features/deployments/create/use-started-deployment.ts';
import { FilesStep } from '../features/deployments/select/files-step.tsx';
import { TemplateList } from '../features/deployments/templates/template-list.tsx';
import { isFirstCancellable, useCancelFirst } from '../features/releases/acts/use-cancel-first.ts';
import { sendingRelease } from '../features/releases/progress/lazy-sending.ts';
import { ConnectInPlace } from '../flows/connect-in-place.tsx';
import { useNavigate } from '../lib/browser/location.ts';
import { connectionLinks, useReturnState } from '../lib/paths/connection-links.ts';
import { href, paths } from '../lib/paths/paths.ts';
import type { Selection } from '../uploads/selection/selection.ts';
import { isOver, type Sending, useSending } from '../uploads/sendings.ts';

export function NewDeploymentScreen() {
  const { deploymentId, startAgain } = useStartedDeployment();
  const sending = useSending(deploymentId ?? '');

  if (sending?.isNew === true && !isOver(sending)) return <SendingFirst sending={sending} onBack={startAgain} />;
  // After a reload the files are gone from the page; the deployment is there and takes the folder again.
  if (deploymentId !== null) return <Redirect to={href.deployment(deploymentId)} replace />;
  return (
    <NewDeploymentForm namedBy="typed">
      <PageHeader
        title="New Deployment"
        description={
          <PlanLine>
            <FirstWords />
          </PlanLine>
        }
      />
      {/* Below one another the form has no box of its own, so that its button can stay in sight from the files on. */}
      <div className="flex flex-col gap-6 max-xl:**:scroll-mb-32 xl:grid xl:grid-cols-[minmax(0,1fr)_340px] xl:items-start">
        <Files />
        <Card className="p-5 max-xl:contents">
          <PublishForm className="max-xl:contents" aboveSticky={<ComingAddress />}>
            <Card className="p-4 sm:p-5 xl:contents">
              <NameField />
            </Card>
          </PublishForm>
        </Card>
      </div>
    </NewDeploymentForm>
  );
}

/** The deployment exists from here on, so its address is the real one. */
function SendingFirst({ sending, onBack }: { sending: Sending; onBack: (files: Selection) => void }) {
  const navigate = useNavigate();
  const cancel = useCancelFirst(onBack);
  const { deploymentId } = sending;
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  return (
    <sendingRelease.Component
      sending={sending}
      number={1}
      platform={deployment.data?.platform ?? 'built-in'}
      serving={null}
      onCancel={isFirstCancellable(sending) ? () => cancel(sending) : null}
      onReplace={() => navigate(`${href.deployment(deploymentId)}#publish`)}
    />
  );
}

function Files() {
  const { chosen, room } = useNewDeployment();
  const { getValues } = useNewDeploymentFields();
  const isChosen = chosen.selection !== null;
  useEffect(() => {
    if (isChosen) void sendingRelease.fetch();
  }, [isChosen]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <FilesStep
        chosen={chosen}
        room={room}
        context={useNewDeploymentContext()}
        shape={usePlanBlocker().blocker === null ? 'tall' : 'compact'}
      />
      {chosen.selection === null && <TemplateList destination={getValues} />}
      <ConnectInPlace>
        <PlatformChoice />
      </ConnectInPlace>
    </div>
  );
}

/** Says before anything is chosen that the platform which the address asks for needs an account. */
function FirstWords() {
  const [search] = useSearchParams();
  const provider = CONNECTION_PROVIDERS.find((id) => id === search.get('platform'));
  const chosen = useNewDeploymentFields().watch('platform');
  const connections = trpc.connections.list.useQuery(undefined, { enabled: provider !== undefined });
  const state = useReturnState();
  const isMissing = connections.data?.items.every((one) => one.provider !== provider);
  if (provider === undefined || provider !== chosen || !isMissing) return <OtherWays />;
  return (
    <>
      To publish to {PLATFORMS[provider].title}, first{' '}
      <Link to={connectionLinks.connect(provider)} state={state} className={LINK}>
        connect your {CONNECTION_TITLES[provider]} account
      </Link>
      .
    </>
  );
}

const LINK = 'rounded-tight text-accent underline';

/** Links to the other three ways of publishing. */
function OtherWays() {
  return (
    <>
      In a hurry?{' '}
      <Link to={paths.quickDeploy} className={LINK}>
        Quick Deploy
      </Link>
      . New here?{' '}
      <Link to={paths.guidedDeployment} className={LINK}>
        Guided Deployment
      </Link>
      . With a domain?{' '}
      <Link to={paths.unifiedDeployment} className={LINK}>
        All-in-One Deployment
      </Link>
      .
    </>
  );
}
