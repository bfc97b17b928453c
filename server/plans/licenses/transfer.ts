import type { ClientSession } from 'mongoose';
import type {
  License,
  RevokeLicenseInput,
  TransferLicenseInput,
  TransferredLicense,
} from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plans.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import type { AccountContext } from '../../context.ts';
import { type LicenseDoc, LicenseModel } from '../../database/models/plans/license.ts';
import { SubscriptionModel } from '../../database/models/plans/subscription.ts';
import { transaction } from '../../database/mongo.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { requireLiveAccount } from '../subscription/live-account.ts';
import { historyOf, type NewKey, newLicenseKey } from './key.ts';
import { toLicense } from './read.ts';
import { grantLicense, restOf } from './redeem.ts';
import { withdrawLicense } from './withdraw.ts';

/** The number of revoked keys that one license keeps. */
const REVOKED_KEPT = 10;

/**
 * Transfers the rest of a license: it ends for this account now, and a new key is good for the rest, for anybody who
 * redeems it. The time runs on meanwhile, so that nobody can save it up. No later call shows the key. Throws `not_found`,
 * `rate_limited`, and `conflict` when nothing is left or it was transferred already.
 */
export async function transferLicense(
  ctx: AccountContext,
  { licenseId }: TransferLicenseInput,
): Promise<TransferredLicense> {
  const { accountId } = ctx.actor;
  const limit = ctx.providers.limits.licenseTransfersPerHour;
  await countAgainst({ name: 'license-transfer', key: accountId, limit, windowMs: HOUR_MS });
  const made = newLicenseKey();
  const license = await transaction((session) => transferOne(session, ctx, { licenseId, made }));
  return { license, key: made.key };
}

async function transferOne(
  session: ClientSession,
  ctx: AccountContext,
  { licenseId, made: { stored } }: { licenseId: string; made: NewKey },
): Promise<License> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  const doc = await findOwn(session, accountId, licenseId);
  if (doc.state === 'transferred') throw new AppError('conflict', 'This license has already been transferred.');
  const period = doc.state === 'redeemed' ? await withdrawLicense(session, doc, { accountId, now }) : null;
  if (period === null) throw new AppError('conflict', 'This license has no time left to transfer.');
  await forgetRevoked(session, licenseId);
  const history = [{ at: now, what: 'created' as const }];
  await LicenseModel.create(
    [{ ...stored, plan: doc.plan, state: 'unredeemed', period, transferOf: licenseId, note: doc.note, history }],
    { session },
  );
  const handedOn = { state: 'transferred', transferredTo: stored._id, period };
  return moveOwn(session, ctx, { licenseId, set: handedOn, what: 'transferred' });
}

/** Deletes older revoked keys: a holder of one of the last ones learns that it was revoked; older ones are unknown. */
async function forgetRevoked(session: ClientSession, licenseId: string): Promise<void> {
  const scope = { acrossAccounts: 'license-key' } as const;
  const revoked = await LicenseModel.find({ transferOf: licenseId, state: 'revoked' }, { createdAt: 1 })
    .setOptions({ session, ...scope })
    .lean();
  const newestFirst = revoked.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  const old = newestFirst.slice(REVOKED_KEPT).map(({ _id }) => _id);
  if (old.length > 0) await LicenseModel.deleteMany({ _id: { $in: old } }, { session }).setOptions(scope);
}

/**
 * Revokes the key of a transfer while nobody has redeemed it: the rest of the license is this account's again. Throws
 * `not_found`, and `conflict` when there is no such key, its time is over, or another plan runs by now.
 */
export async function revokeLicense(ctx: AccountContext, { licenseId }: RevokeLicenseInput): Promise<License> {
  return transaction((session) => takeBack(session, ctx, licenseId));
}

async function takeBack(session: ClientSession, ctx: AccountContext, licenseId: string): Promise<License> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  const doc = await findOwn(session, accountId, licenseId);
  if (doc.state !== 'transferred') throw new AppError('conflict', 'This license has not been transferred.');
  const revoked = await LicenseModel.findOneAndUpdate(
    { _id: doc.transferredTo ?? '', state: 'unredeemed' },
    { $set: { state: 'revoked' }, $push: historyOf('revoked', now) },
    { session, returnDocument: 'after', acrossAccounts: 'license-key' },
  );
  if (revoked === null)
    throw new AppError('conflict', 'The new key was redeemed, so the license now belongs to another account.');
  if (restOf(revoked, now) === 0) {
    throw new AppError('conflict', `This license for ${PLANS[doc.plan].title} has no time left.`);
  }
  const period = await grantLicense(session, revoked, { accountId, now });
  const held = { state: 'redeemed', transferredTo: null, period };
  return moveOwn(session, ctx, { licenseId, set: held, what: 'taken_back' });
}

async function findOwn(session: ClientSession, accountId: string, licenseId: string): Promise<LicenseDoc> {
  await requireLiveAccount(session, accountId);
  const doc = await LicenseModel.findOne({ _id: licenseId, accountId }).session(session);
  if (doc === null) throw notFound('license');
  return doc;
}

type Move = { licenseId: string; set: Record<string, unknown>; what: 'transferred' | 'taken_back' };

async function moveOwn(session: ClientSession, ctx: AccountContext, { licenseId, set, what }: Move): Promise<License> {
  const { accountId } = ctx.actor;
  const now = ctx.now();
  const moved = await LicenseModel.findOneAndUpdate(
    { _id: licenseId, accountId },
    { $set: set, $push: historyOf(what, now) },
    { session, returnDocument: 'after' },
  ).orFail();
  const subscription = await SubscriptionModel.findOne({ accountId }).session(session);
  return toLicense(moved, subscription, now);
}
