import type { ClientSession } from 'mongoose';
import type {
  CertificateDetails,
  CertificateList,
  GetCertificateInput,
  IssueCertificateInput,
  ListCertificatesInput,
  RehearseCertificateInput,
  RenewCertificateInput,
  RevokeCertificateInput,
} from '../../../routers/schemas/certificates.ts';
import { PAGE_SIZE_DEFAULT } from '../../../routers/schemas/primitives.ts';
import { withAskingSlots } from '../../account/asking-slots.ts';
import { countAgainst } from '../../account/rate-limit.ts';
import { countTest } from '../../connections/ask-platform.ts';
import { askZoneHolder, whyNotHeld } from '../../connections/challenge-zones.ts';
import type { AccountContext } from '../../context.ts';
import { type CertificateDoc, CertificateModel } from '../../database/models/domains/certificate.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { newId, transaction } from '../../database/mongo.ts';
import { moveCertificate } from '../../database/move-state.ts';
import { publishEvent } from '../../events/publish.ts';
import { DAY_MS, dayInWords, MINUTE_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { afterCursor, decodeCursor, encodeCursor, isAfterCursor } from '../../lib/page-cursor.ts';
import { errorForPerson, TRIED_AGAIN } from '../../lib/remedies.ts';
import { requireWritableDomain } from '../../plans/subscription/writable.ts';
import { openAccount } from './account.ts';
import { AuthorityError } from './authority/authority.ts';
import { classifyProblem } from './authority/problems.ts';
import { expediteIssue, namesToCover } from './ensure.ts';
import { publishStatus } from './notify-owner.ts';
import { addHistory } from './outcome.ts';
import { toCertificate, toDetails } from './read.ts';
import { rehearse } from './rehearse.ts';
import { storeRehearsal } from './store-rehearsal.ts';

/** Each act calls the authority and servers of strangers. */
const ACTS_PER_MINUTE = 20;
const ASK_MS = 25_000;
/** By then a renewal has had enough tries for a short disturbance; a later one needs a person. */
const RENEWAL_LATE_MS = DAY_MS;
/** The limit for each kind of trouble; an account has a thousand domains at most. */
const IN_NEED_MAX = 500;
/** Chains, keys and histories are long, and lists do not show them. */
const LISTED = { history: 0, order: 0, 'issued.chain': 0, 'issued.key': 0 } as const;

/**
 * Returns the account's certificates, the one changed last first; those of some domains, or those that need their owner, on request.
 */
export async function listCertificates(ctx: AccountContext, input: ListCertificatesInput): Promise<CertificateList> {
  const { authority } = ctx.providers;
  const limit = input?.limit ?? PAGE_SIZE_DEFAULT;
  const filter: OfAccount = {
    accountId: ctx.actor.accountId,
    ...(input?.domainIds !== undefined && { domainId: { $in: input.domainIds } }),
    ...(input?.domainId !== undefined && { domainId: input.domainId }),
  };
  const docs =
    input?.needsCare === true
      ? await findInNeed(filter, ctx.now(), input.cursor)
      : await CertificateModel.find({ ...filter, ...afterCursor(input?.cursor, 'changedAt') }, LISTED)
          .sort({ changedAt: -1, _id: -1 })
          .limit(limit + 1)
          .lean();
  const page = docs.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((doc) => toCertificate(doc)),
    nextCursor: docs.length > limit && last !== undefined ? encodeCursor(last, last.changedAt) : null,
    localRoot: (await authority.root?.()) ?? null,
  };
}

type OfAccount = { accountId: string; domainId?: string | { $in: string[] } };

/** Each query has an index of its own, so that certificates that renew by themselves are not read. */
async function findInNeed(filter: OfAccount, now: Date, cursor: string | undefined) {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const lateFrom = new Date(now.getTime() - RENEWAL_LATE_MS);
  const isLate = {
    renewAt: { $lte: now },
    $or: [{ renewAt: { $lte: lateFrom } }, { 'issued.notAfter': { $lte: now } }],
  };
  const readings = [
    CertificateModel.find({ ...filter, notifiedCauses: { $gt: '' } }, LISTED).hint('account_notified'),
    CertificateModel.find({ ...filter, ...isLate }, LISTED).hint('account_due'),
  ];
  const found = await Promise.all(readings.map((reading) => reading.limit(IN_NEED_MAX).lean()));
  const docs = [...new Map(found.flat().map((doc) => [doc._id, doc])).values()];
  return docs
    .filter((doc) => after === null || isAfterCursor(doc, after))
    .sort((one, other) => other.changedAt.getTime() - one.changedAt.getTime() || (one._id < other._id ? 1 : -1));
}

/** Returns one certificate with its chain and history. Throws `not_found`. */
export async function getCertificate(ctx: AccountContext, input: GetCertificateInput): Promise<CertificateDetails> {
  return toDetails(await findCertificate(ctx, input.certificateId));
}

/**
 * Orders a certificate for the names of a domain, or for its wildcard. A public authority gets those that point here,
 * or all of them when a DNS connection of the account holds their zone. Throws `not_found`, `state_changed` while no
 * such name is proved, `zone_not_found` for a wildcard that no connection could prove, and the errors of the DNS
 * provider.
 */
export async function issueCertificate(
  ctx: AccountContext,
  { domainId, wildcard: isWildcard = false }: IssueCertificateInput,
): Promise<CertificateDetails> {
  const { accountId } = ctx.actor;
  await requireWritableDomain(null, ctx, domainId);
  await countAct(accountId);
  const found = await findZoneHolder(ctx, domainId, isWildcard);
  const id = await transaction((session) => orderByHand(session, ctx, { accountId, domainId, isWildcard }, found));
  return getCertificate(ctx, { certificateId: id });
}

type Kind = { accountId: string; domainId: string; isWildcard: boolean };
type FoundHolder = Awaited<ReturnType<typeof askZoneHolder>>;

/** Asks the DNS providers now, when not all names can be proved without them; null when they need not be asked. */
async function findZoneHolder(ctx: AccountContext, domainId: string, isWildcard: boolean): Promise<FoundHolder | null> {
  const { providers, actor } = ctx;
  const { accountId } = actor;
  const domain = await DomainModel.findOne({ _id: domainId, accountId }).lean();
  if (domain === null) throw notFound('domain');
  const { unit: name, heldNames, pointedNames } = domain;
  const isProvedByDns = isWildcard || heldNames.some((held) => !pointedNames.includes(held));
  if (!providers.authority.isPublic || heldNames.length === 0 || !isProvedByDns) return null;
  await countTest(accountId);
  const asked = { accountId, names: isWildcard ? [name] : heldNames };
  const found = await withAskingSlots(ctx, { whom: 'providers' }, () =>
    inTime('Your DNS providers', (signal) => askZoneHolder(providers, asked, signal)),
  );
  if (!isWildcard || found.missing === null) return found;
  throw new AppError('zone_not_found', 'A certificate for a wildcard needs a proof in DNS.', {
    hint: whyNotHeld(found.missing),
  });
}

async function orderByHand(
  session: ClientSession,
  ctx: AccountContext,
  kind: Kind,
  found: FoundHolder | null,
): Promise<string> {
  const { providers } = ctx;
  const { accountId, domainId, isWildcard } = kind;
  // This comes first: a simultaneous removal of the domain conflicts on the account, and one of the two runs again.
  await publishEvent(session, accountId, { type: 'analytics_update' });
  await requireWritableDomain(session, ctx, domainId);
  const own = { _id: domainId, accountId };
  if (found !== null) await DomainModel.updateOne(own, { $set: { zoneHolder: found.zoneHolder } }, { session });
  const domain = await DomainModel.findOne(own).session(session).lean();
  if (domain === null) throw notFound('domain');
  const names = isWildcard
    ? domain.heldNames.slice(0, 1).map(() => `*.${domain.unit}`)
    : namesToCover(providers, domain);
  if (names.length === 0) {
    const message =
      'A certificate is ordered once the domain is proved to be yours and its records point to your deployment.';
    const { missing = null } = found ?? {};
    const isLed = missing !== null && missing.at !== missing.challenge;
    throw new AppError('state_changed', message, {
      hint: isLed ? whyNotHeld(missing) : 'Check the records of the domain.',
    });
  }
  const wanted = { names, isWanted: true, nextTryAt: null };
  const known = await CertificateModel.findOneAndUpdate(kind, { $set: wanted }, { session });
  const _id = known?._id ?? newId();
  if (known === null) await CertificateModel.create([{ ...kind, ...wanted, _id, history: [] }], { session });
  await expediteIssue(session, { _id, accountId });
  return _id;
}

/**
 * Renews a certificate now, whatever its lifetime: a wait ends, but the limits of its authority apply. Throws
 * `not_found`.
 */
export async function renewCertificate(
  ctx: AccountContext,
  { certificateId }: RenewCertificateInput,
): Promise<CertificateDetails> {
  const { accountId } = ctx.actor;
  const { _id, domainId } = await findCertificate(ctx, certificateId);
  await requireWritableDomain(null, ctx, domainId);
  await countAct(accountId);
  await transaction(async (session) => {
    await requireWritableDomain(session, ctx, domainId);
    await CertificateModel.updateOne({ _id, accountId }, { $set: { isWanted: true, nextTryAt: null } }, { session });
    await expediteIssue(session, { _id, accountId });
  });
  return getCertificate(ctx, { certificateId });
}

/**
 * Revokes a certificate whose key may be in other hands, and stops serving it; a new one is only ordered by hand. The
 * history says if its authority, when it is no longer the one in use, was not notified. Throws `not_found`,
 * `state_changed` when none is served, `platform_down`, and `platform_failed` with the authority's words.
 */
export async function revokeCertificate(
  ctx: AccountContext,
  { certificateId }: RevokeCertificateInput,
): Promise<CertificateDetails> {
  const { accountId } = ctx.actor;
  const { providers } = ctx;
  const doc = await findCertificate(ctx, certificateId);
  await countAct(accountId);
  const { issued } = doc;
  if (!issued || (doc.state !== 'issued' && doc.state !== 'renewing'))
    throw new AppError('state_changed', 'There is no certificate to revoke.');
  const isRevokedThere = issued.authorityId === providers.authority.id;
  if (isRevokedThere) {
    await askAuthority(ctx, async (signal) => {
      const call = await openAccount(providers, signal);
      await providers.authority.revoke(call, issued.chain, 'keyCompromise');
    });
  }
  await transaction(async (session) => {
    const set = {
      ...{ renewAt: null, askAt: null, rehearseAt: null, notifiedCauses: [] },
      ...{ isWanted: false, order: null, nextTryAt: null },
      // The key goes too: no later move of the state may bring it back.
      issued: null,
    };
    const place = { id: certificateId, accountId, set };
    const moved = await moveCertificate(session, { ...place, from: ['issued', 'renewing'], to: 'revoked' });
    if (moved === null) return;
    const entry = { what: 'revoked', detail: revocationText(issued, isRevokedThere) };
    await addHistory(session, { providers, accountId, certificateId }, entry);
    await publishStatus(session, doc, { sslStatus: 'revoked', isValid: false });
  });
  return getCertificate(ctx, { certificateId });
}

function revocationText(
  { issuer, serial, notAfter }: NonNullable<CertificateDoc['issued']>,
  isRevokedThere: boolean,
): string {
  if (isRevokedThere) return `It is no longer served, and ${issuer} was told that it is revoked. Serial ${serial}.`;
  const why = `${issuer} was not told, since another authority is in use here now`;
  return `It is no longer served. ${why}, so whoever has the key of the certificate can use it until ${dayInWords(notAfter)}. Serial ${serial}.`;
}

/** Tries the conditions of the next renewal, without getting a certificate. Throws `not_found`, `rate_limited`. */
export async function rehearseCertificate(
  ctx: AccountContext,
  { certificateId }: RehearseCertificateInput,
): Promise<CertificateDetails> {
  const { accountId } = ctx.actor;
  const before = await findCertificate(ctx, certificateId);
  await countAct(accountId);
  await withAskingSlots(ctx, { whom: 'name servers', one: `certificate ${certificateId}` }, async () => {
    const certificate = await findCertificate(ctx, certificateId);
    // A caller that has waited for another rehearsal of it gets that result.
    if (certificate.rehearsal?.at.getTime() !== before.rehearsal?.at.getTime()) return;
    const rehearsal = await inTime('The servers that a renewal needs', (signal) =>
      rehearse(ctx.providers, certificate, signal),
    );
    const found = { rehearsal, isByHand: true };
    await transaction((session) => storeRehearsal(session, ctx.providers, { certificateId, accountId }, found));
  });
  return getCertificate(ctx, { certificateId });
}

async function countAct(accountId: string): Promise<void> {
  await countAgainst({ name: 'certificate-acts', key: accountId, limit: ACTS_PER_MINUTE, windowMs: MINUTE_MS });
}

async function findCertificate(ctx: AccountContext, certificateId: string): Promise<CertificateDoc> {
  const doc = await CertificateModel.findOne({ _id: certificateId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('certificate');
  return doc;
}

/**
 * Ends before the browser times out, and gives errors the words for a person; throws `platform_down` when time is up.
 */
async function inTime<T>(asked: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ASK_MS);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted || error instanceof AppError) throw errorForPerson(error);
    const said = `${asked} did not answer within ${ASK_MS / 1_000} seconds.`;
    throw new AppError('platform_down', said, { hint: TRIED_AGAIN.person, cause: error });
  }
}

async function askAuthority(ctx: AccountContext, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await inTime('The certificate authority', work);
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    const { message } = classifyProblem(error.problem, ctx.now());
    throw new AppError('platform_failed', message, { raw: error.problem.detail, cause: error });
  }
}
