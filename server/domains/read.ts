import { domainToUnicode } from 'node:url';
import type {
  CheckedRecord,
  Domain,
  DomainList,
  GetDomainInput,
  ListDomainsInput,
} from '../../routers/schemas/domains.ts';
import { PAGE_SIZE_DEFAULT } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { type DomainDoc, DomainModel, type DomainRow } from '../database/models/domains/domain.ts';
import { certifiedDomains, domainUrlOf } from '../database/site-address.ts';
import { notFound } from '../lib/errors.ts';
import { afterCursor, encodeCursor } from '../lib/page-cursor.ts';
import { domainsOverCap } from '../plans/subscription/writable.ts';
import { platformAnswers } from './ask-platform.ts';

/** Domains past their set-up that are not as they should be. */
const BROKEN = [
  { state: 'misconfigured' as const },
  { state: 'active' as const, problem: { $ne: null } },
  { lostAt: { $ne: null } },
];
/** The same, and domains that wait for their first records. */
const NEEDS_CARE = [{ state: { $in: ['unverified' as const, 'pending_dns' as const] } }, ...BROKEN];

/**
 * Returns the account's domains, the one changed last first; on request those of one deployment, in one state, or that
 * wait for their owner.
 */
export async function listDomains(ctx: AccountContext, input: ListDomainsInput): Promise<DomainList> {
  const limit = input?.limit ?? PAGE_SIZE_DEFAULT;
  const filter = {
    accountId: ctx.actor.accountId,
    ...(input?.deploymentId !== undefined && { deploymentId: input.deploymentId }),
    ...(input?.needsCare === true && { $and: [{ $or: NEEDS_CARE }] }),
    ...(input?.isBroken === true && { $and: [{ $or: BROKEN }] }),
    ...(input?.state !== undefined && { state: input.state }),
    ...afterCursor(input?.cursor, 'changedAt'),
  };
  const docs = await DomainModel.find(filter)
    .sort({ changedAt: -1, _id: -1 })
    .hint(input?.deploymentId === undefined ? 'account_latest' : 'account_deployment')
    .limit(limit + 1)
    // Each server's answers are long, and only shown for a single domain.
    .select({ 'records.seen': 0 })
    .lean();
  const page = docs.slice(0, limit);
  const last = page.at(-1);
  const certified = await certifiedDomains(ctx.actor.accountId, page);
  const over = await domainsOverCap(null, ctx, [...new Set(page.map(({ deploymentId }) => deploymentId))]);
  return {
    items: page.map((doc) => toDomain(ctx, doc, { isCertified: certified.has(doc._id), over })),
    nextCursor: docs.length > limit && last !== undefined ? encodeCursor(last, last.changedAt) : null,
  };
}

/** Returns one domain as last seen. Throws `not_found`. */
export async function getDomain(ctx: AccountContext, { domainId }: GetDomainInput): Promise<Domain> {
  return showDomain(ctx, await findDomain(ctx, domainId));
}

/** Returns the account's own document. Throws `not_found`. */
export async function findDomain(ctx: AccountContext, domainId: string): Promise<DomainDoc> {
  const doc = await DomainModel.findOne({ _id: domainId, accountId: ctx.actor.accountId });
  if (doc === null) throw notFound('domain');
  return doc;
}

/** Converts the account's document for a person. */
export async function showDomain(ctx: AccountContext, doc: DomainRow): Promise<Domain> {
  const certified = await certifiedDomains(ctx.actor.accountId, [doc]);
  const over = await domainsOverCap(null, ctx, [doc.deploymentId]);
  return toDomain(ctx, doc, { isCertified: certified.has(doc._id), over });
}

type Shown = { isCertified: boolean; over: Awaited<ReturnType<typeof domainsOverCap>> };

/** Returns the name with its own letters; nothing for a name that has no others than ASCII. */
export function unicodeNameOf(name: string): Pick<Domain, 'unicodeName'> {
  const unicodeName = domainToUnicode(name);
  return unicodeName === name || unicodeName === '' ? {} : { unicodeName };
}

function toDomain({ providers }: AccountContext, doc: DomainRow, { isCertified, over }: Shown): Domain {
  const { _id: id, deploymentId, name, servedName, state, problem, lostAt } = doc;
  return {
    id,
    deploymentId,
    name,
    ...unicodeNameOf(name),
    counterpart: doc.counterpart ?? null,
    servedName,
    url: domainUrlOf(providers.addresses, { name: servedName, isAtPlatform: Boolean(doc.attached), isCertified }),
    state,
    proof: { type: 'TXT', name: doc.proof.name, value: doc.proof.value },
    ...(doc.zone && { zone: doc.zone }),
    records: seenRecords(doc),
    pointedNames: [...doc.pointedNames],
    problem: problem
      ? { code: problem.code, message: problem.message, hint: problem.hint ?? null, since: problem.since }
      : null,
    atPlatform: atPlatformOf(doc),
    provedAt: doc.provedAt ?? null,
    activeSince: doc.activeSince ?? null,
    checkedAt: doc.checkedAt ?? null,
    nextCheckAt: state === 'removing' ? null : doc.nextCheckAt,
    expiresAt: doc.expiresAt ?? null,
    createdAt: doc.createdAt,
    changedAt: doc.changedAt,
    ...(lostAt && { lostTo: 'another account' as const }),
    ...(over.has(id) && { isOverCap: true, mayBeChosen: over.get(id) === true }),
  };
}

function atPlatformOf(doc: DomainRow): Domain['atPlatform'] {
  const { attached } = doc;
  if (!attached) return null;
  return {
    platform: attached.platform,
    answers: platformAnswers(doc),
    steps: attached.steps.map(({ text, url }) => ({ text, ...(url && { url }) })),
    askedAt: attached.askedAt ?? null,
  };
}

/**
 * Returns the records. The schema leaves their answers free, and lists leave them out; only `recordStates`
 * (record-states.ts) writes them.
 */
function seenRecords({ records }: DomainRow): CheckedRecord[] {
  return records.map(({ type, name, value, ttl, purpose, required, alternativeGroup, state, seen = [] }) => ({
    ...{ type, name, value, ttl, purpose, required, alternativeGroup: alternativeGroup ?? null, state, seen },
  })) as CheckedRecord[];
}
