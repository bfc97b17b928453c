import type { ClientSession } from 'mongoose';
import type { Providers } from '../../context.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/domains/certificate.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { transaction } from '../../database/mongo.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { LOCAL_AUTHORITY } from './authority/authority.ts';
import { expediteIssue, namesToCover } from './ensure.ts';

/**
 * The limit of a run, every five minutes: 144 in three hours stay below half of the strictest limit, so that nobody
 * else who orders meanwhile is limited to a share (server/domains/certificates/authority/budget.ts).
 */
const ORDERS_MAX = 4;
/** The number of certificates to check whose names do not point here. */
const LOOKS_MAX = 200;
const LOOK_AGAIN_MS = HOUR_MS;

type Upkeep = { providers: Providers; signal: AbortSignal };
type Found = Pick<CertificateRow, '_id' | 'accountId'>;

/**
 * Once the operator has named a public authority, orders there what the app's own has signed before: a few in each
 * run, and each serves until the new one is there. Names that cannot be proved yet are checked again later.
 */
export async function orderPublicly({ providers, signal }: Upkeep): Promise<void> {
  if (!providers.authority.isPublic) return;
  const now = providers.now();
  const found = await CertificateModel.find(
    { 'issued.authorityId': LOCAL_AUTHORITY, publicLookAt: { $not: { $gt: now } }, ...isAtRest(now) },
    { accountId: 1 },
  )
    .setOptions({ acrossAccounts: 'jobs' })
    .hint('to_order_publicly')
    .sort({ publicLookAt: 1 })
    .limit(LOOKS_MAX)
    .lean();
  let ordered = 0;
  for (const one of found) {
    signal.throwIfAborted();
    if (await transaction((session) => orderOne(session, providers, one))) ordered += 1;
    if (ordered === ORDERS_MAX) return;
  }
}

/** Matches certificates without a job: due and failed ones have one. */
const isAtRest = (now: Date) => ({ state: 'issued' as const, order: null, renewAt: { $gt: now } });

async function orderOne(session: ClientSession, providers: Providers, { _id, accountId }: Found): Promise<boolean> {
  const now = providers.now();
  const own = { _id, accountId };
  const filter = { ...own, 'issued.authorityId': LOCAL_AUTHORITY, ...isAtRest(now) };
  const certificate = await CertificateModel.findOne(filter, { domainId: 1, isWildcard: 1, names: 1 })
    .session(session)
    .lean();
  if (certificate === null) return false;
  const names = await provableNames(session, providers, { accountId, ...certificate });
  const isOrdered = names.length > 0;
  const set = {
    publicLookAt: new Date(now.getTime() + LOOK_AGAIN_MS),
    ...(isOrdered && { names, renewAt: now, nextTryAt: null }),
  };
  await CertificateModel.updateOne(own, { $set: set }, { session });
  if (isOrdered) await expediteIssue(session, own);
  return isOrdered;
}

/** Returns the names that a public authority could validate; empty when it is sure to refuse. */
async function provableNames(
  session: ClientSession,
  providers: Pick<Providers, 'authority'>,
  { accountId, domainId, isWildcard, names }: Pick<CertificateRow, 'accountId' | 'domainId' | 'isWildcard' | 'names'>,
): Promise<string[]> {
  const domain = await DomainModel.findOne({ _id: domainId, accountId }).session(session).lean();
  if (domain === null) return [];
  const covered = namesToCover(providers, domain);
  if (!isWildcard) return covered;
  return covered.length > 0 && typeof domain.zoneHolder?.connectionId === 'string' ? [...names] : [];
}
