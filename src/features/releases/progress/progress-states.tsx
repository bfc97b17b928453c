import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { errorDetails, errorMessage } from '../../../api/errors.ts';
import { isNothing } from '../../../api/shown-failure.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { ErrorState } from '../../../components/page/error-state.tsx';
import { href } from '../../../lib/paths/paths.ts';
import { ProgressSkeleton } from '../progress-skeleton.tsx';
import { ReleaseBadge, SendingBadge } from '../release-badge.tsx';
import { type DeploymentProgress, useDeploymentProgress } from './use-deployment-progress.ts';

export type ProgressStatesProps = {
  deploymentId: string;
  progress: DeploymentProgress;
  onStartAgain: () => void;
  children: (known: Extract<DeploymentProgress, { stage: 'sending' | 'release' }>) => ReactNode;
};

/** Shows every case except success; without files and without a release the deployment's own page asks for files. */
export function ProgressStates({ deploymentId, progress, onStartAgain, children }: ProgressStatesProps) {
  switch (progress.stage) {
    case 'sending':
    case 'release':
      return children(progress);
    case 'left':
      return <Redirect to={href.deployment(deploymentId)} replace />;
    case 'unknown':
      return (
        <Card>
          <UnknownState progress={progress} onStartAgain={onStartAgain} />
        </Card>
      );
    case 'loading':
      return <ProgressSkeleton />;
  }
}

/** Shows the state of a started deployment in the head of the screen, as the page of its release does. */
export function ProgressBadge({ deploymentId }: Pick<ProgressStatesProps, 'deploymentId'>) {
  const progress = useDeploymentProgress(deploymentId);
  if (progress.stage === 'release') return <ReleaseBadge release={progress.release} />;
  return progress.stage === 'sending' ? <SendingBadge sending={progress.sending} /> : null;
}

type UnknownStateProps = { progress: Extract<DeploymentProgress, { stage: 'unknown' }>; onStartAgain: () => void };

function UnknownState({ progress: { error, retry, isRetrying }, onStartAgain }: UnknownStateProps) {
  if (isNothing(error)) {
    return (
      <ErrorState title="This deployment does not exist">
        <p className="mb-3">It may have been deleted.</p>
        <Button size="sm" onClick={onStartAgain}>
          Start again
        </Button>
      </ErrorState>
    );
  }
  return (
    <ErrorState
      title="The release could not be loaded"
      onRetry={retry}
      isRetrying={isRetrying}
      requestId={errorDetails(error).requestId}
    >
      {errorMessage(error)}
    </ErrorState>
  );
}
