import { errorMessage } from '../api/errors.ts';
import { Card } from '../components/card.tsx';
import { ErrorState } from '../components/page/error-state.tsx';

/** Shown when nobody could say who is signed in: the person is not sent away. */
export function Unreachable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Card className="mx-auto max-w-reading">
      <ErrorState title={errorMessage(error)} onRetry={onRetry}>
        You are still logged in.
      </ErrorState>
    </Card>
  );
}
