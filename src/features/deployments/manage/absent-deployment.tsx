import { errorDetails, errorMessage } from '../../../api/errors.ts';
import { isNothing } from '../../../api/shown-failure.ts';
import { ErrorState } from '../../../components/error-state.tsx';

export type AbsentDeploymentProps = {
  question: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

/** Takes the place of a deployment that does not exist or could not be fetched. */
export function AbsentDeployment({ question: { error, isFetching, refetch } }: AbsentDeploymentProps) {
  const isMissing = isNothing(error);
  return (
    <ErrorState
      title={isMissing ? 'This deployment does not exist' : 'The deployment could not be fetched'}
      onRetry={isMissing ? undefined : () => void refetch()}
      isRetrying={isFetching}
      requestId={errorDetails(error).requestId}
    >
      {isMissing ? 'It may have been deleted. Active Deployments lists what is there.' : errorMessage(error)}
    </ErrorState>
  );
}
