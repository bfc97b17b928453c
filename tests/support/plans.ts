import type { PaidPlan } from '../../routers/schemas/plans.ts';
import { SubscriptionModel, type SubscriptionRow } from '../../server/database/models/plans/subscription.ts';
import { transaction } from '../../server/database/mongo.ts';
import { grantPlan } from '../../server/plans/subscription/grant.ts';
import type { Person, TestApp } from './app.ts';

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

/** Gives an account what a license does, as another process does when one is redeemed; returns the period. */
export function grantLicense(
  { providers }: Pick<TestApp, 'providers'>,
  { user }: Pick<Person, 'user'>,
  plan: PaidPlan,
  months = 1,
) {
  const license = { accountId: user.id, plan, source: 'license', months, now: providers.now() } as const;
  return transaction((session) => grantPlan(session, license));
}
