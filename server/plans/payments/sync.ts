import type { ClientSession } from 'mongoose';
import type { AccountContext } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { hasExpired, PaymentModel, type PaymentRow } from '../../database/models/plans/payment.ts';
import { PaymentCustomerModel } from '../../database/models/plans/payment-customer.ts';
import { SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { followSubscription } from '../subscription/follow.ts';
import { applyCharge, endCheckout, giveBack, takePaid } from './apply-facts.ts';
import type { CustomerFacts, HostedPayments, PaidFacts, SubscriptionFacts } from './payments.ts';

/** The job's transaction: a run that has lost its lease cannot write. */
type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Brings the account in line with the payment service. The service's record is read first and whole, then each missing
 * act is done in a transaction of its own: money that was taken starts or extends a plan, once; a refund ends it;
 * checkouts end; the subscription says how the plan goes on. Repeated, late or parallel calls reach the same end,
 * whatever notices came before.
 */
export async function syncPayments(ctx: AccountContext, inTransaction: InTransaction): Promise<void> {
  const { accountId } = ctx.actor;
  const { hosted } = ctx.providers.payments;
  const customer = await PaymentCustomerModel.findOne({ accountId }).lean();
  if (hosted === undefined || customer === null) return;
  // Deleting the account ends its subscriptions.
  if ((await UserModel.exists({ _id: accountId, deletedAt: null })) === null) return;
  const open = await openCheckouts(ctx);
  const checkoutIds = open.flatMap(({ checkoutId }) => checkoutId ?? []);
  const facts = await hosted.readCustomer(customer.customerId, checkoutIds).catch(nothingOfMissing);
  // A refund made here is not in the record that was read before.
  const returned = new Set<string>();
  for (const paid of facts.paid) {
    if (!(await take(ctx, inTransaction, { hosted, facts, paid })) && paid.chargeId !== null)
      returned.add(paid.chargeId);
  }
  for (const charge of facts.charges) {
    if (!returned.has(charge.chargeId)) await inTransaction((session) => applyCharge(session, ctx, charge));
  }
  for (const { id, state } of facts.checkouts) {
    await inTransaction((session) => endCheckout(session, ctx, { checkoutId: id, state }));
  }
  await inTransaction((session) => followSubscription(session, ctx, facts.subscriptions));
  await endUnused(ctx, hosted, facts.subscriptions);
  const checkAt = await nextCheck(ctx);
  await PaymentCustomerModel.updateOne({ accountId }, { $set: { checkAt } });
}

/** Abandoned checkouts may have been paid all the same, in another tab, or by a transfer that takes days. */
const GIVEN_UP_MS = 30 * DAY_MS;
const CHECKOUTS_MAX = 20;

function openCheckouts({ actor: { accountId }, now }: AccountContext): Promise<PaymentRow[]> {
  const since = new Date(now().getTime() - GIVEN_UP_MS);
  const unpaid = { accountId, isTest: false, checkoutId: { $type: 'string' as const }, paidId: null };
  return PaymentModel.find(unpaid)
    .or([{ state: 'pending' }, { state: 'expired', createdAt: { $gt: since } }])
    .sort({ createdAt: -1 })
    .limit(CHECKOUTS_MAX)
    .lean();
}

/** The operator has changed the account at the service, or its mode: nothing of this customer is there. */
function nothingOfMissing(error: unknown): CustomerFacts {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  return { checkouts: [], paid: [], charges: [], subscriptions: [] };
}

type Taken = { hosted: HostedPayments; facts: CustomerFacts; paid: PaidFacts };

/** Takes money in. Returns false after a refund, when a larger plan runs and no plan can be given for it. */
async function take(
  ctx: AccountContext,
  inTransaction: InTransaction,
  { hosted, facts, paid }: Taken,
): Promise<boolean> {
  const { accountId } = ctx.actor;
  if ((await PaymentModel.exists({ accountId, paidId: paid.id })) !== null) return true;
  const checkoutId = facts.checkouts.find(({ paidId }) => paidId === paid.id)?.id ?? null;
  try {
    await inTransaction((session) => takePaid(session, ctx, { paid, checkoutId }));
    return true;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'conflict')) throw error;
    if (paid.chargeId !== null && paid.amountCents > 0) await hosted.refund(paid.chargeId, paid.id);
    await inTransaction((session) => giveBack(session, ctx, { paid, checkoutId }));
    return false;
  }
}

/**
 * Ends subscriptions that would charge for a plan that they do not give: a license or another payment has replaced it,
 * its money was refunded, or the same plan was bought twice at once.
 */
async function endUnused(
  { actor: { accountId } }: AccountContext,
  hosted: HostedPayments,
  subscriptions: readonly SubscriptionFacts[],
): Promise<void> {
  const known = await SubscriptionModel.findOne({ accountId }).lean();
  for (const { id, plan, state } of subscriptions) {
    const isCharging = state === 'running' || state === 'past_due';
    if (!isCharging || plan === null || id === known?.subscriptionId) continue;
    // The first payment of one that has not paid for anything here may be on its way.
    const hasPaid = await PaymentModel.exists({ accountId, subscriptionId: id, state: { $in: ['paid', 'refunded'] } });
    if (hasPaid !== null) await hosted.endSubscription(id);
  }
}

const OFTEN_FOR_MS = 2 * HOUR_MS;
const OFTEN_MS = 10 * MINUTE_MS;

/** Returns when the service is asked next if no news comes; null while nothing there could change. */
async function nextCheck({ actor: { accountId }, now }: AccountContext): Promise<Date | null> {
  const at = now().getTime();
  const pending = await PaymentModel.findOne({ accountId, isTest: false, state: 'pending' }).lean();
  if (pending !== null && !hasExpired(pending, now())) {
    const isNew = at - pending.createdAt.getTime() < OFTEN_FOR_MS;
    return new Date(at + (isNew ? OFTEN_MS : HOUR_MS));
  }
  const known = await SubscriptionModel.findOne({ accountId }).lean();
  if (typeof known?.subscriptionId === 'string') {
    const endMs = known.endsAt.getTime() + OFTEN_MS;
    return new Date(endMs > at ? Math.min(endMs, at + DAY_MS) : at + HOUR_MS);
  }
  // It may be refunded, or disputed.
  const running = { accountId, isTest: false, state: 'paid', endsAt: { $gt: now() } } as const;
  return (await PaymentModel.exists(running)) === null ? null : new Date(at + DAY_MS);
}
