import type { ClientSession } from 'mongoose';
import { TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import type { Plan } from '../../../routers/schemas/plans.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { hadTrial } from './used-trial.ts';

/** Returns the advice when the plan does not allow something; `plan` is the active one. */
export async function upgradeHint(
  accountId: string,
  plan: Plan,
  session: ClientSession | null = null,
): Promise<string> {
  if (plan !== 'free') return 'Choose a larger plan under Pricing & Trial.';
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  const user = await UserModel.findOne({ _id: accountId }, { emailKey: 1 }).session(session);
  const isUsed = user === null || (await hadTrial(subscription, user.emailKey, session));
  return isUsed
    ? 'Choose a plan under Pricing & Trial.'
    : `Start the free ${TRIAL_DAYS}-day trial of Pro under Pricing & Trial.`;
}
