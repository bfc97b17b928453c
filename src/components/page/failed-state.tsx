import { ErrorState } from './error-state.tsx';

/** The parts of a failed query that a person sees. */
export type ShownFailure = { title: string; message: string; requestId: string | undefined };

export type FailedStateProps = {
  /** Null while nothing failed: then nothing is shown. */
  failure: ShownFailure | null;
  question: { isFetching: boolean; refetch: () => unknown };
};

/** Replaces data that could not be loaded; Retry fetches again. */
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
