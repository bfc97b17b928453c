import type { ClientSession } from 'mongoose';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext, Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { MAINTENANCE } from '../../database/models/account-scope.ts';
import { PaymentModel } from '../../database/models/plans/payment.ts';
import { PaymentCustomerModel } from '../../database/models/plans/payment-customer.ts';
import { PaymentEventModel } from '../../database/models/plans/payment-event.ts';
import { isDuplicateKey, newId, transaction } from '../../database/mongo.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { askAbout } from '../subscription/renewal.ts';
import type { HostedPayments, PaymentNotice, PaymentService } from './payments.ts';

/** Throws `not_found` when there is no hosted payment service. */
export function requireHosted({ hosted }: PaymentService): HostedPayments {
  if (hosted === undefined) throw notFound('payment service');
  return hosted;
}

/** People pay within minutes of opening a checkout; then the service is asked even if it has sent nothing. */
const FIRST_CHECK_MS = 5 * MINUTE_MS;

/**
 * Returns the account's customer at the payment service, made at the first call. Two simultaneous calls make one: the
 * service answers both with the same. `instead` is a customer that the service no longer knows, for instance after a
 * change of its account.
 */
export async function customerOf(ctx: AccountContext, hosted: HostedPayments, instead?: string): Promise<string> {
  const { accountId } = ctx.actor;
  if (instead !== undefined) await PaymentCustomerModel.deleteOne({ accountId, customerId: instead });
  const known = await PaymentCustomerModel.findOne({ accountId }).lean();
  if (known !== null) return known.customerId;
  const user = await UserModel.findOne({ _id: accountId, deletedAt: null }, { email: 1 }).lean();
  if (user === null) throw notFound('account');
  const key = instead === undefined ? accountId : `${accountId} after ${instead}`;
  const customerId = await hosted.createCustomer({ accountId, email: user.email, key });
  try {
    await PaymentCustomerModel.create({ _id: newId(), accountId, customerId, createdAt: ctx.now() });
  } catch (error) {
    if (!isDuplicateKey(error, 'accountId')) throw error;
  }
  return customerId;
}

/** Schedules a query to the payment service soon, whether or not a notice comes. */
export async function expectNews({ actor: { accountId }, now }: AccountContext): Promise<void> {
  const checkAt = new Date(now().getTime() + FIRST_CHECK_MS);
  await PaymentCustomerModel.updateOne({ accountId }, { $set: { checkAt } });
}

/**
 * Stores a notice of the payment service, each once; a job processes it, so that the answer is quick. A notice about
 * an unknown customer is no error: others may sell through the same account. Throws `not_found` when there is no
 * hosted payment service, `bad_request` when the service has not signed it.
 */
export async function takePaymentNotice(
  { payments, now }: Providers,
  { body, signature }: { body: Uint8Array; signature: string },
): Promise<void> {
  const notice = await requireHosted(payments).readNotice(body, signature, now());
  const accountId = await accountOf(notice);
  if (accountId === null) return;
  try {
    await transaction(async (session) => {
      if ((await PaymentEventModel.exists({ _id: notice.id }).session(session)) !== null) return;
      await PaymentEventModel.create([{ _id: notice.id, accountId, at: now() }], { session });
      await askAbout(session, accountId);
    });
  } catch (error) {
    // Two instances received the same notice at once.
    if (!isDuplicateKey(error)) throw error;
  }
}

async function accountOf({ customerId, chargeId }: PaymentNotice): Promise<string | null> {
  const everybody = { acrossAccounts: 'payment-notice' } as const;
  if (customerId !== null) {
    const customer = await PaymentCustomerModel.findOne({ customerId }).setOptions(everybody).lean();
    return customer?.accountId ?? null;
  }
  if (chargeId === null) return null;
  const payment = await PaymentModel.findOne({ chargeId: { $eq: chargeId, $type: 'string' } })
    .setOptions(everybody)
    .lean();
  return payment?.accountId ?? null;
}

/** Due queries are spread over several passes: the service takes a hundred requests a second from all callers. */
const CHECKS_A_PASS = 200;
/** If no job gets through, it is tried again after this. */
const CHECK_AGAIN_MS = 60 * MINUTE_MS;

/** Schedules a query for every account without news for too long. */
export async function enqueueDueChecks(
  now: Date,
  inTransaction: (work: (session: ClientSession) => Promise<void>) => Promise<void>,
): Promise<void> {
  const due = await PaymentCustomerModel.find({ checkAt: { $type: 'date', $lte: now } })
    .setOptions(MAINTENANCE)
    .hint('due')
    .limit(CHECKS_A_PASS)
    .lean();
  for (const { accountId } of due) {
    await inTransaction(async (session) => {
      const checkAt = new Date(now.getTime() + CHECK_AGAIN_MS);
      await PaymentCustomerModel.updateOne({ accountId }, { $set: { checkAt } }, { session });
      await askAbout(session, accountId);
    });
  }
}

/** Each asks the payment service for a new address. */
const PORTALS_PER_HOUR = 30;

/** Returns the page for card, invoices and subscription. Throws `not_found` when the account has never paid there. */
export async function openPortal(ctx: AccountContext): Promise<{ url: string }> {
  const { accountId } = ctx.actor;
  await countAgainst({ name: 'portals', key: accountId, limit: PORTALS_PER_HOUR, windowMs: HOUR_MS });
  const hosted = requireHosted(ctx.providers.payments);
  const customer = await PaymentCustomerModel.findOne({ accountId }).lean();
  if (customer === null) throw new AppError('not_found', 'You have not paid for anything yet.');
  return hosted.openPortal(customer.customerId);
}

/**
 * Ends every subscription of an account that is being deleted, and every open page that could still start one, so that
 * nobody is charged for an account that is gone.
 */
export async function endSubscriptions({ providers, actor: { accountId } }: AccountContext): Promise<void> {
  const { hosted } = providers.payments;
  const customer = await PaymentCustomerModel.findOne({ accountId }).lean();
  if (hosted === undefined || customer === null) return;
  // This comes first: payments until then are among the subscriptions.
  const unpaid = { accountId, isTest: false, checkoutId: { $type: 'string' as const }, paidId: null };
  for (const { checkoutId } of await PaymentModel.find(unpaid).lean()) {
    if (typeof checkoutId === 'string') await hosted.expireCheckout(checkoutId);
  }
  const { subscriptions } = await hosted.readCustomer(customer.customerId, []).catch(noneOfMissing);
  for (const { id, state } of subscriptions) if (state !== 'ended') await hosted.endSubscription(id);
}

function noneOfMissing(error: unknown): { subscriptions: [] } {
  if (error instanceof AppError && error.code === 'not_found') return { subscriptions: [] };
  throw error;
}
