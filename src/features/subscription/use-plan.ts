import { errorDetails } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { useUser } from '../../api/user.ts';
import type { PlanSituation } from './plan-situation.ts';

/** The truth of the server, never assumed from the address. Having no subscription is an answer, not a failure. */
export function usePlan(): PlanSituation {
  const { user, isLoading, error, retry } = useUser();
  const allowance = trpc.subscription.allowance.useQuery(undefined, { enabled: user !== null });
  const subscription = trpc.subscription.get.useQuery(undefined, { enabled: user !== null });
  const hasNone = subscription.error !== null && errorDetails(subscription.error).code === 'not_found';

  if (error !== null) return { kind: 'failed', error, retry };
  if (isLoading) return { kind: 'loading' };
  if (user === null) return { kind: 'visitor' };
  const failure = allowance.error ?? (hasNone ? null : subscription.error);
  if (failure !== null) {
    const retryBoth = () => void Promise.all([allowance.refetch(), subscription.refetch()]);
    return { kind: 'failed', error: new Error(failure.message, { cause: failure }), retry: retryBoth };
  }
  if (allowance.data === undefined || (subscription.data === undefined && !hasNone)) return { kind: 'loading' };
  return { kind: 'known', allowance: allowance.data, subscription: subscription.data ?? null };
}
