import { isActiveStatus } from '../../routers/schemas/active-status.ts';
import { errorDetails } from './errors.ts';
import { trpc } from './trpc.ts';

/** Whether trialing or active (specification, section 4); for the guard of routes that require a subscription. */
export function useHasActiveSubscription(): {
  isActive: boolean;
  isLoading: boolean;
  error: unknown;
  retry: () => void;
} {
  const query = trpc.subscription.get.useQuery();
  // No subscription is a "not found" (specification, section 7); one that could not be asked about is not the same.
  const isNone = errorDetails(query.error).code === 'not_found';
  return {
    isActive: query.data !== undefined && isActiveStatus(query.data.status),
    isLoading: query.isPending,
    error: isNone ? null : query.error,
    retry: () => void query.refetch(),
  };
}
