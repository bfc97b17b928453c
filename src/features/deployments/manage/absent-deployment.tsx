import { Link } from 'wouter';
import { errorDetails, errorMessage } from '../../../api/errors.ts';
import { isNothing } from '../../../api/shown-failure.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorState } from '../../../components/page/error-state.tsx';
import { paths } from '../../../lib/paths/paths.ts';

export type AbsentDeploymentProps = {
  question: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

/** Replaces a deployment that does not exist or could not be loaded. */
export function AbsentDeployment({ question: { error, isFetching, refetch } }: AbsentDeploymentProps) {
  const isMissing = isNothing(error);
  return (
    <ErrorState
      title={isMissing ? 'This deployment does not exist' : 'The deployment could not be loaded'}
      onRetry={isMissing ? undefined : () => void refetch()}
      isRetrying={isFetching}
      requestId={errorDetails(error).requestId}
      action={
        isMissing && (
          <Button size="sm" asChild>
            <Link to={paths.deployments}>Active Deployments</Link>
          </Button>
        )
      }
    >
      {isMissing ? 'It may have been deleted, or belong to another account.' : errorMessage(error)}
    </ErrorState>
  );
}
