import { PLANS } from '../../../routers/schemas/plans.ts';
import type { AccountContext } from '../../context.ts';
import { type PaymentDoc, PaymentModel } from '../../database/models/plans/payment.ts';
import { transaction } from '../../database/mongo.ts';
import { AppError } from '../../lib/errors.ts';
import { askAbout } from '../subscription/renewal.ts';
import { customerOf, expectNews } from './customer.ts';
import type { CheckoutFacts, CheckoutOrder, HostedPayments } from './payments.ts';

export type OpenedPayment = {
  payment: PaymentDoc;
  /** The page of the payment that this one replaces. */
  replacedCheckoutId: string | null;
  /** The subscription at the payment service that changes to the plan. */
  upgrades: string | null;
};

/**
 * Returns the page for a payment at the payment service. It is made once and stored; a second call returns the same
 * one while it is open. Throws `conflict` when it is over or paid already, and the errors of the service.
 */
export async function openHosted(
  ctx: AccountContext,
  hosted: HostedPayments,
  { payment, replacedCheckoutId, upgrades }: OpenedPayment,
): Promise<{ url: string }> {
  if (replacedCheckoutId !== null) await closeReplaced(ctx, hosted, replacedCheckoutId);
  const opened = typeof payment.checkoutId === 'string' ? await findCheckout(hosted, payment.checkoutId) : null;
  if (opened !== null) return reopen(ctx, payment, opened);
  const { _id: paymentId, accountId, plan, amountCents, creditCents } = payment;
  const order = { paymentId, accountId, plan, amountCents, creditCents, upgrades };
  const { url, checkoutId } = await openForCustomer(ctx, hosted, order);
  if (checkoutId !== undefined) await saveCheckout(ctx, hosted, { paymentId, checkoutId });
  await expectNews(ctx);
  return { url };
}

/**
 * Closes a replaced page, since two open ones could charge twice. One that cannot be closed now stays open for a day,
 * and its money is refunded.
 */
async function closeReplaced(
  { providers: { log } }: AccountContext,
  hosted: HostedPayments,
  id: string,
): Promise<void> {
  await hosted.expireCheckout(id).catch((error: unknown) => {
    log.warn('A checkout that was replaced could not be closed', { error: String(error) });
  });
}

/** Returns null when the service does not know it, for instance after a change of its account or mode. */
async function findCheckout(hosted: HostedPayments, checkoutId: string): Promise<CheckoutFacts | null> {
  try {
    return await hosted.checkout(checkoutId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

async function reopen(
  { actor: { accountId } }: AccountContext,
  { plan }: PaymentDoc,
  { state, url }: CheckoutFacts,
): Promise<{ url: string }> {
  if (state === 'open' && url !== null) return { url };
  await transaction((session) => askAbout(session, accountId));
  if (state === 'paid' || state === 'processing') {
    throw new AppError('conflict', `Your payment for ${PLANS[plan].title} is on its way.`, {
      hint: 'Wait until it has arrived.',
    });
  }
  throw new AppError('conflict', 'This checkout has ended. Nothing was charged.', {
    hint: 'Choose the plan again in a moment.',
  });
}

async function openForCustomer(ctx: AccountContext, hosted: HostedPayments, order: Omit<CheckoutOrder, 'customerId'>) {
  const { payments } = ctx.providers;
  const customerId = await customerOf(ctx, hosted);
  try {
    return await payments.openCheckout({ ...order, customerId });
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'not_found';
    if (!isGone || order.upgrades !== null) throw error;
    return payments.openCheckout({ ...order, customerId: await customerOf(ctx, hosted, customerId) });
  }
}

/** Throws `conflict` when another plan was chosen meanwhile, whose page is the one for paying. */
async function saveCheckout(
  { actor: { accountId } }: AccountContext,
  hosted: HostedPayments,
  { paymentId, checkoutId }: { paymentId: string; checkoutId: string },
): Promise<void> {
  const open = { _id: paymentId, accountId, state: 'pending' } as const;
  const { matchedCount } = await PaymentModel.updateOne(open, { $set: { checkoutId } });
  if (matchedCount === 1) return;
  await PaymentModel.updateOne({ _id: paymentId, accountId }, { $set: { checkoutId } });
  await hosted.expireCheckout(checkoutId);
  throw new AppError('conflict', 'Another plan was chosen in the meantime.', {
    hint: 'Continue with that one, or choose again.',
  });
}
