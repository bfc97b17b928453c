import type { PaidPlan } from '../../routers/schemas/plans.ts';
import { SubscriptionModel, type SubscriptionRow } from '../../server/database/models/plans/subscription.ts';
import type { Person } from './app.ts';

const MONTH_MS = 30 * 86_400_000;

/** Puts an account on a plan from one moment to the next, as a grant by another process does. */
export async function setPlan(
  { user }: Pick<Person, 'user'>,
  plan: PaidPlan,
  fields: Partial<SubscriptionRow> = {},
): Promise<void> {
  const startedAt = new Date();
  const endsAt = new Date(startedAt.getTime() + MONTH_MS);
  await SubscriptionModel.updateOne(
    { accountId: user.id },
    { $set: { plan, status: 'active', startedAt, endsAt, ...fields }, $setOnInsert: { _id: user.id } },
    { upsert: true },
  );
}
