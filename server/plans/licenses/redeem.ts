import type { ClientSession } from 'mongoose';
import type { License, RedeemLicenseInput } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plans.ts';
import { type Count, countAgainst, countsByAddress, takeBackCount } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { type LicenseDoc, LicenseModel } from '../../database/models/plans/license.ts';
import { SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, type AppErrorOptions } from '../../lib/errors.ts';
import { creditedTime } from '../subscription/credited-time.ts';
import { type GrantedPeriod, grantPlan, refusePlan } from '../subscription/grant.ts';
import { requireLiveAccount } from '../subscription/live-account.ts';
import { historyOf } from './key.ts';
import { MAX_LICENSES, periodOf, toLicense } from './read.ts';

/** Lets a query find a license by its key, in any account. */
const BY_KEY = { acrossAccounts: 'license-key' } as const;

/**
 * Redeems a license key: the account gets its plan from then on, or for longer. A key is found by its SHA-256, so that
 * the search time reveals nothing about existing keys, and each unknown key counts against the account and its
 * address. Throws `license_unknown`, `license_redeemed`, `license_revoked`, `license_expired`, `conflict` when the key
 * would add nothing to the present plan (the key stays unused), and `rate_limited`.
 */
export async function redeemLicense(ctx: AccountContext, { key }: RedeemLicenseInput): Promise<License> {
  const guesses = guessesOf(ctx);
  // It is counted ahead: otherwise a thousand simultaneous guesses would pass before the first is counted.
  for (const guess of guesses) await countAgainst(guess);
  const known = await LicenseModel.findOne({ hash: hashToken(key) }).setOptions(BY_KEY);
  if (known === null) throw unknown();
  for (const guess of guesses) await takeBackCount(guess);
  await refuseEarly(ctx, known);
  return transaction((session) => redeemKnown(session, ctx, known._id));
}

/** Refuses an existing key before there is a transaction; it does not count as a guess. */
async function refuseEarly(ctx: AccountContext, doc: LicenseDoc): Promise<void> {
  const { accountId } = ctx.actor;
  refuseUnlessOpen(doc, accountId, ctx.now());
  refusePlan(await SubscriptionModel.findOne({ accountId }).lean(), doc.plan, ctx.now());
  if ((await LicenseModel.countDocuments({ accountId })) >= MAX_LICENSES) throw tooMany();
}

async function redeemKnown(session: ClientSession, ctx: AccountContext, licenseId: string): Promise<License> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  await requireLiveAccount(session, accountId);
  const doc = await LicenseModel.findOne({ _id: licenseId }).session(session).setOptions(BY_KEY);
  if (doc === null) throw unknown();
  refuseUnlessOpen(doc, accountId, now);
  const period = await grantLicense(session, doc, { accountId, now });
  // This comes after the grant, which lets one change of the account's plan through at a time.
  if ((await LicenseModel.countDocuments({ accountId }).session(session)) >= MAX_LICENSES) throw tooMany();
  const redeemed = await LicenseModel.findOneAndUpdate(
    { _id: licenseId, state: 'unredeemed' },
    { $set: { state: 'redeemed', accountId, redeemedAt: now, period }, $push: historyOf('redeemed', now) },
    { session, returnDocument: 'after', ...BY_KEY },
  ).orFail();
  await notifyGiver(session, doc, now);
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  return toLicense(redeemed, subscription, now);
}

/**
 * Gives the account the time of a license, in the caller's transaction: its months, or the rest of a period that
 * somebody else began. The rest of a lower plan follows it. Returns when that is, without what follows.
 */
export async function grantLicense(
  session: ClientSession,
  doc: LicenseDoc,
  { accountId, now }: { accountId: string; now: Date },
): Promise<GrantedPeriod> {
  const length = typeof doc.months === 'number' ? { months: doc.months } : { months: 0, restMs: restOf(doc, now) };
  const keptMs = await creditedTime(session, { accountId, by: doc.plan, now });
  const grant = { accountId, plan: doc.plan, source: 'license', ...length, keptMs, now } as const;
  return grantPlan(session, grant);
}

/** Returns the unused milliseconds. */
export function restOf(doc: LicenseDoc, now: Date): number {
  const { startsAt, endsAt } = periodOf(doc);
  return Math.max(0, endsAt.getTime() - Math.max(now.getTime(), startsAt.getTime()));
}

/** Notifies the giver of a license, who can no longer take it back. */
async function notifyGiver(session: ClientSession, { transferOf }: LicenseDoc, now: Date): Promise<void> {
  if (typeof transferOf !== 'string') return;
  const given = await LicenseModel.findOneAndUpdate(
    { _id: transferOf },
    { $push: historyOf('accepted', now) },
    { session, returnDocument: 'after', ...BY_KEY },
  );
  if (given === null || typeof given.accountId !== 'string') return;
  await publishEvent(session, given.accountId, {
    type: 'notification',
    title: 'Transfer complete',
    message: `The key that you created for the license ${given.prefix}… was redeemed.`,
  });
}

function refuseUnlessOpen(doc: LicenseDoc, accountId: string, now: Date): void {
  if (doc.state === 'revoked') {
    throw refused('license_revoked', 'This license key was revoked.', { hint: 'Ask whoever gave it to you.' });
  }
  if (doc.state !== 'unredeemed') {
    if (doc.accountId === accountId) throw refused('license_redeemed', 'You have already redeemed this license key.');
    throw refused('license_redeemed', 'This license key has been redeemed by another account.');
  }
  const isLate = doc.redeemBy instanceof Date && doc.redeemBy <= now;
  if (isLate || (typeof doc.months !== 'number' && restOf(doc, now) === 0)) {
    throw refused('license_expired', `This key for ${PLANS[doc.plan].title} has expired: nobody redeemed it in time.`);
  }
}

function guessesOf(ctx: AccountContext): Count[] {
  const { perAccount, perAddress } = ctx.providers.limits.licenseGuessesPerHour;
  const guess = { name: 'license-guess', windowMs: HOUR_MS };
  const ofAccount = { ...guess, key: `account ${ctx.actor.accountId}`, limit: perAccount };
  const ofAddress = countsByAddress(ctx, { ...guess, limit: perAddress });
  return [ofAccount, ...ofAddress.map((count) => ({ ...count, key: `address ${count.key}` }))];
}

type Refusal = 'license_unknown' | 'license_redeemed' | 'license_revoked' | 'license_expired';

function refused(code: Refusal, message: string, options: AppErrorOptions = {}): AppError {
  return new AppError(code, message, { ...options, field: 'key', fieldErrors: { key: message } });
}

function unknown(): AppError {
  return refused('license_unknown', 'There is no such license key. Compare it with the one you were given.');
}

function tooMany(): AppError {
  return new AppError('conflict', `An account can hold ${MAX_LICENSES} license keys.`);
}
