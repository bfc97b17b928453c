import type { ClientSession } from 'mongoose';
import { monthlyCents, type PaidPlan } from '../../../routers/schemas/plans.ts';
import { activePlan, SubscriptionModel } from '../../database/models/subscription.ts';

type Replacement = {
  accountId: string;
  /** The plan that takes the place of what runs. */
  by: PaidPlan;
  now: Date;
  /** The part of what is left that was taken off its price. */
  creditedMs?: number;
};

/**
 * Returns what is left of a plan as time of the one that takes its place, in milliseconds: as long as the same money
 * lasts there. Nothing that was paid for or redeemed is lost by an upgrade, or by a smaller plan that was chosen. The trial is worth nothing.
 */
export async function keptTime(
  session: ClientSession,
  { accountId, by, now, creditedMs = 0 }: Replacement,
): Promise<number> {
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const running = activePlan(known, now);
  if (known === null || running === 'free' || known.status === 'trialing' || by === running) return 0;
  const leftMs = known.endsAt.getTime() - now.getTime() - creditedMs;
  return Math.max(0, Math.ceil((leftMs * monthlyCents(running)) / monthlyCents(by)));
}
