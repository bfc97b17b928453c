import type { Allowance } from '../../../../routers/schemas/subscription.ts';
import { trpc } from '../../../api/trpc.ts';
import { type PlanBlocker, planBlocker } from '../plan-labels.ts';

export type PlanBlockerState = {
  /** Undefined while it loads. */
  allowance: Allowance | undefined;
  blocker: PlanBlocker | null;
  error: unknown;
  retry: () => void;
};

/** Returns the plan's allowance, and `blocker` when it allows no new deployment. */
export function usePlanBlocker(): PlanBlockerState {
  const allowance = trpc.subscription.allowance.useQuery();
  return {
    allowance: allowance.data,
    blocker: allowance.data === undefined ? null : planBlocker(allowance.data),
    error: allowance.error,
    retry: () => void allowance.refetch(),
  };
}
