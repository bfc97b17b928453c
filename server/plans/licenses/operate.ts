import type { ClientSession } from 'mongoose';
import { isLicenseKey, normalizeLicenseKey } from '../../../routers/schemas/license-key.ts';
import { type PaidPlan, PLANS } from '../../../routers/schemas/plans.ts';
import type { LicenseState } from '../../../routers/schemas/state-names.ts';
import { rowsOf } from '../../database/cursor-rows.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { type LicenseDoc, LicenseModel } from '../../database/models/plans/license.ts';
import { transaction } from '../../database/mongo.ts';
import { publishEvent } from '../../events/publish.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { historyOf, newLicenseKey } from './key.ts';
import { withdrawLicense } from './withdraw.ts';

const BY_OPERATOR = { acrossAccounts: 'maintenance' } as const;

export type NewLicenses = { plan: PaidPlan; months: number; count: number; redeemBy: Date | null; note: string };

/** Makes license keys and returns them: no later call shows them. All of them are made, or none. */
export async function makeLicenses({ plan, months, count, redeemBy, note }: NewLicenses, now: Date): Promise<string[]> {
  const made = Array.from({ length: count }, newLicenseKey);
  const history = [{ at: now, what: 'created' as const }];
  const rows = made.map(({ stored }) => ({
    ...stored,
    ...{ plan, months, redeemBy, note, history },
    state: 'unredeemed' as const,
  }));
  await transaction((session) => LicenseModel.insertMany(rows, { session }));
  return made.map(({ key }) => key);
}

export type ListedLicense = {
  id: string;
  prefix: string;
  plan: PaidPlan;
  /** Null for the rest of another license. */
  months: number | null;
  state: LicenseState;
  holder: string | null;
  createdAt: Date;
  redeemedAt: Date | null;
  redeemBy: Date | null;
  endsAt: Date | null;
  note: string;
};

/** Returns every license of every account, oldest first. */
export async function* allLicenses(): AsyncGenerator<ListedLicense, void> {
  const cursor = LicenseModel.aggregate<LicenseDoc & { holder: { username: string }[] }>([
    { $sort: { createdAt: 1, _id: 1 } },
    { $lookup: { from: UserModel.collection.name, localField: 'accountId', foreignField: '_id', as: 'holder' } },
    { $project: { hash: 0, history: 0 } },
  ]).cursor({ batchSize: 100 });
  for await (const row of rowsOf(cursor)) {
    yield {
      id: row._id,
      prefix: row.prefix,
      plan: row.plan,
      months: row.months ?? null,
      state: row.state,
      holder: row.holder[0]?.username ?? null,
      createdAt: row.createdAt,
      redeemedAt: row.redeemedAt ?? null,
      redeemBy: row.redeemBy ?? null,
      endsAt: row.period?.endsAt ?? null,
      note: row.note ?? '',
    };
  }
}

export type EndedLicense = { id: string; plan: PaidPlan; wasRedeemed: boolean };

/** A transaction has a minute (MongoDB, `transactionLifetimeLimitSeconds`), and each link takes some ten operations. */
const LINKS_AT_ONCE = 50;

/**
 * Ends a license, by its id or its key: nobody can redeem it, and its holder loses the unused time, even after it was
 * transferred. Deployments stay live. Each transaction ends a few transfers, however many there are: another call
 * completes one that broke off in between. Throws `not_found`, and `conflict` when nothing is left to end.
 */
export async function endLicense(idOrKey: string, now: Date): Promise<EndedLicense> {
  const key = normalizeLicenseKey(idOrKey);
  const filter = isLicenseKey(key) ? { hash: hashToken(key) } : { _id: idOrKey };
  const first = await LicenseModel.findOne(filter, { plan: 1 }).setOptions(BY_OPERATOR);
  if (first === null) throw notFound('license');
  const ended: LicenseState[] = [];
  for (let link: string | null = first._id; link !== null; ) {
    const from: string = link;
    const links = await transaction((session) => endLinks(session, from, now));
    ended.push(...links.ended);
    link = links.next;
  }
  if (ended.length === 0) throw new AppError('conflict', 'This license is already revoked.');
  return { id: first._id, plan: first.plan, wasRedeemed: ended.includes('redeemed') };
}

/** Ends a license and its transfers, up to a number of links; returns their previous states, and the next link. */
async function endLinks(
  session: ClientSession,
  from: string,
  now: Date,
): Promise<{ ended: LicenseState[]; next: string | null }> {
  const ended: LicenseState[] = [];
  let next: string | null = from;
  for (let count = 0; next !== null && count < LINKS_AT_ONCE; count += 1) {
    const doc: LicenseDoc | null = await LicenseModel.findOne({ _id: next }).session(session).setOptions(BY_OPERATOR);
    if (doc !== null && doc.state !== 'revoked') {
      await endOne(session, doc, now);
      ended.push(doc.state);
    }
    next = doc?.transferredTo ?? null;
  }
  return { ended, next };
}

/** Ends one license, and notifies its holder. */
async function endOne(session: ClientSession, doc: LicenseDoc, now: Date): Promise<void> {
  await LicenseModel.updateOne(
    { _id: doc._id },
    { $set: { state: 'revoked' }, $push: historyOf('revoked', now) },
    { session, ...BY_OPERATOR },
  );
  if (typeof doc.accountId === 'string') await endHolding(session, doc, doc.accountId, now);
}

async function endHolding(session: ClientSession, doc: LicenseDoc, accountId: string, now: Date): Promise<void> {
  // An account that is being erased has no plan left to end.
  if ((await UserModel.exists({ _id: accountId, deletedAt: null }).session(session)) === null) return;
  // A transferred license is taken from its present holder.
  const taken = doc.state === 'redeemed' ? await withdrawLicense(session, doc, { accountId, now }) : null;
  const title = PLANS[doc.plan].title;
  const lost = taken === null ? 'Your plan stays as it is.' : `Your remaining ${title} time was removed.`;
  await publishEvent(session, accountId, {
    type: 'notification',
    title: 'License revoked',
    message: `The license ${doc.prefix}… was revoked. ${lost} What is live stays live.`,
    ...(taken !== null && { variant: 'destructive' }),
  });
}
