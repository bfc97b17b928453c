import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { errorDetails, errorMessage } from '../../api/errors.ts';
import { isNothing } from '../../api/shown-failure.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton, SkeletonGroup, SkeletonRows } from '../../components/skeleton.tsx';
import { href } from '../../lib/paths.ts';
import type { Followed } from './use-followed.ts';

export type FollowedStatesProps = {
  deploymentId: string;
  followed: Followed;
  onStartAgain: () => void;
  children: (known: Extract<Followed, { stage: 'sending' | 'release' }>) => ReactNode;
};

/** Everything but the good case; without files and without a release the deployment's own page asks for the files. */
export function FollowedStates({ deploymentId, followed, onStartAgain, children }: FollowedStatesProps) {
  switch (followed.stage) {
    case 'sending':
    case 'release':
      return children(followed);
    case 'left':
      return <Navigate to={href.deployment(deploymentId)} replace />;
    case 'unknown':
      return (
        <Card>
          <UnknownState followed={followed} onStartAgain={onStartAgain} />
        </Card>
      );
    case 'loading':
      return (
        <SkeletonGroup label="Loading the release">
          <Skeleton className="mb-2 h-6 w-44" />
          <Skeleton className="mb-5 h-4 w-56" />
          <Card>
            <SkeletonRows rows={6} />
          </Card>
        </SkeletonGroup>
      );
  }
}

type UnknownStateProps = { followed: Extract<Followed, { stage: 'unknown' }>; onStartAgain: () => void };

function UnknownState({ followed: { error, retry, isRetrying }, onStartAgain }: UnknownStateProps) {
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
      title="The release could not be fetched"
      onRetry={retry}
      isRetrying={isRetrying}
      requestId={errorDetails(error).requestId}
    >
      {errorMessage(error)}
    </ErrorState>
  );
}
