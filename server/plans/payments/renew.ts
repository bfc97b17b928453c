import type { ClientSession } from 'mongoose';
import { PLANS } from '../../../routers/schemas/plans.ts';
import type { Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { PaymentModel } from '../../database/models/plans/payment.ts';
import { SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { newId } from '../../database/mongo.ts';
import { dueStep, planAfter } from '../subscription/ending.ts';
import { applyPaymentEvent } from './apply-event.ts';

/**
 * Pays for the next period in the test checkout, in the caller's transaction and in the same way as every other
 * payment: for the same plan, or the smaller one that was chosen. Returns false when nothing was renewed: it is no
 * longer due, or a payment of the account is on its way.
 */
export async function renewPlan(session: ClientSession, providers: Providers, accountId: string): Promise<boolean> {
  const { testEvent } = providers.payments;
  if (testEvent === undefined) return false;
  if ((await UserModel.exists({ _id: accountId, deletedAt: null }).session(session)) === null) return false;
  const known = await SubscriptionModel.findOne({ accountId }).session(session);
  const now = providers.now();
  const plan = known === null ? null : planAfter(known, providers.payments);
  if (known === null || plan === null || dueStep(known, now, providers.payments) !== 'renewal') return false;
  const pending = await PaymentModel.findOne({ accountId, state: 'pending' }).session(session);
  if (pending?.isProcessing) return false;
  if (pending !== null) await pending.set({ state: 'expired' }).save({ session });
  // Of two simultaneous instances one conflicts on the account in what follows, runs again and sees the new period. The
  // next period begins with the end of this one, even if the worker is late.
  const at = now < known.endsAt ? now : known.endsAt;
  const paymentId = newId();
  const { months, dollars } = PLANS[plan];
  const price = { amountCents: dollars * 100, creditCents: 0 };
  const fields = {
    plan,
    months,
    ...price,
    state: 'pending' as const,
    isTest: true,
    isRenewal: true,
    expiresAt: now,
    createdAt: now,
  };
  await PaymentModel.create([{ _id: paymentId, accountId, ...fields }], { session });
  await applyPaymentEvent(session, testEvent({ paymentId, accountId }, 'pay'), at);
  return true;
}
