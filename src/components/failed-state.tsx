import { ErrorState } from './error-state.tsx';

/** What of a failed question is for a person. */
export type ShownFailure = { title: string; message: string; requestId: string | undefined };

export type FailedStateProps = {
  /** Null while nothing failed: then nothing is shown. */
  failure: ShownFailure | null;
  question: { isFetching: boolean; refetch: () => unknown };
};

/** Shows in the place of data that they could not be loaded; Retry asks again. */
export function FailedState({ failure, question }: FailedStateProps) {
  if (failure === null) return null;
  return (
    <ErrorState
      title={failure.title}
      onRetry={() => void question.refetch()}
      isRetrying={question.isFetching}
      requestId={failure.requestId}
    >
      {failure.message}
    </ErrorState>
  );
}
