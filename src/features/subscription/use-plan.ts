import { trpc } from '../../api/trpc.ts';
import { useSubscription } from '../../api/use-subscription.ts';
import { useUser } from '../../api/user.ts';
import type { PlanSituation } from './plan-situation.ts';

/** Returns the server's answer about the plan, never an assumption from the address. */
export function usePlan(): PlanSituation {
  const { user, isLoading, error, retry } = useUser();
  const allowance = trpc.subscription.allowance.useQuery(undefined, { enabled: user !== null });
  const subscription = useSubscription({ enabled: user !== null });

  if (error !== null) return { kind: 'failed', error, retry };
  if (isLoading) return { kind: 'loading' };
  if (user === null) return { kind: 'visitor' };
  const failure = allowance.error ?? subscription.error;
  if (failure !== null) {
    const retryBoth = () => void Promise.all([allowance.refetch(), subscription.refetch()]);
    return { kind: 'failed', error: new Error(failure.message, { cause: failure }), retry: retryBoth };
  }
  if (allowance.data === undefined || subscription.data === undefined) return { kind: 'loading' };
  return { kind: 'known', allowance: allowance.data, subscription: subscription.data };
}
