import { isActiveStatus } from '../../routers/schemas/active-status.ts';
import { useSubscription } from './use-subscription.ts';

/** Returns whether the subscription is trialing or active, for the guard of routes that require one. */
export function useHasActiveSubscription(): {
  isActive: boolean;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
} {
  const query = useSubscription();
  return {
    isActive: query.data ? isActiveStatus(query.data.status) : false,
    isLoading: query.isPending,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
