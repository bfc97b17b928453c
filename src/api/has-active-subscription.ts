import { isActiveStatus } from '../../routers/schemas/active-status.ts';
import { isSignedOutError, wasAnswered } from './errors.ts';
import { useSubscription } from './use-subscription.ts';

/** Whether the subscription is trialing or active, for the guard of routes that require one. */
export function useHasActiveSubscription(): {
  isActive: boolean;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
} {
  const query = useSubscription();
  // An answer that is not OK or cannot be read counts as no subscription. No answer at all is not the same, nor is the end
  // of the session, which leads elsewhere.
  const isNone = wasAnswered(query.error) && !isSignedOutError(query.error);
  return {
    isActive: query.data ? isActiveStatus(query.data.status) : false,
    isLoading: query.isPending,
    error: isNone ? null : query.error,
    retry: () => void query.refetch(),
  };
}
