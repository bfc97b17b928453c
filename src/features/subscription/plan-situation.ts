import type { Allowance, Subscription } from '../../../routers/schemas/subscription.ts';

/** The person's situation with regard to plans. */
export type PlanSituation =
  | { kind: 'loading' }
  | { kind: 'failed'; error: Error; retry: () => void }
  | { kind: 'visitor' }
  | { kind: 'known'; allowance: Allowance; subscription: Subscription | null };
