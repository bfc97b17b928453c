import type { ClientSession } from 'mongoose';
import { monthlyCents, type PaidPlan } from '../../../routers/schemas/plans.ts';
import { activePlan, SubscriptionModel } from '../../database/models/plans/subscription.ts';

type Replacement = {
  accountId: string;
  /** The plan that replaces the present one. */
  by: PaidPlan;
  now: Date;
  /** The part of the rest that was taken off its price. */
  creditedMs?: number;
};

/**
 * Returns the rest of a plan as time of the one that replaces it, in milliseconds: as long as the same money lasts
 * there. So an upgrade, or a chosen smaller plan, loses nothing that was paid for or redeemed. The trial is worth
 * nothing.
 */
export async function creditedTime(
  session: ClientSession,
  { accountId, by, now, creditedMs = 0 }: Replacement,
): Promise<number> {
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const running = activePlan(known, now);
  if (known === null || running === 'free' || known.status === 'trialing' || by === running) return 0;
  const leftMs = known.endsAt.getTime() - now.getTime() - creditedMs;
  return Math.max(0, Math.ceil((leftMs * monthlyCents(running)) / monthlyCents(by)));
}
