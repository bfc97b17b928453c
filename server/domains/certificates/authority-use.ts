import type { Providers } from '../../context.ts';
import { AuthorityUseModel } from '../../database/models/domains/authority-use.ts';
import type { CertificateRow } from '../../database/models/domains/certificate.ts';
import { newId } from '../../database/mongo.ts';
import { registrableDomain } from '../../lib/site-domain.ts';
import { AuthorityError } from './authority/authority.ts';
import {
  type BudgetEntry,
  type BudgetKind,
  type BudgetQuestion,
  budgetOf,
  freeAt,
  limitsOf,
} from './authority/budget.ts';
import { ownProblem } from './authority/problems.ts';

type LedgerProviders = Pick<Providers, 'authority' | 'now'>;
export type AuthorityUse = Omit<BudgetQuestion, 'domains'>;

const WHAT: Record<BudgetKind, string> = {
  orders: 'orders of this installation',
  share: 'orders of your account',
  domain: 'certificates of this domain',
  names: 'certificates of these names',
  failures: 'failed validations of a name',
};

function budgetFor({ authority }: LedgerProviders, { names, ...use }: AuthorityUse) {
  if (!authority.isPublic) return [];
  const domains = [...new Set(names.map((name) => registrableDomain(name.replace(/^\*\./, ''))))];
  const question: BudgetQuestion = { ...use, names: [...names].sort(), domains };
  return budgetOf(limitsOf(authority.name), question);
}

/** Returns the kind of renewal that an order for these names would be, judged by the served certificate. */
export function renewedBy(
  { authority }: LedgerProviders,
  issued: CertificateRow['issued'],
  names: readonly string[],
): BudgetQuestion['renews'] {
  if (!issued || [...issued.names].sort().join() !== [...names].sort().join()) return null;
  return issued.authorityId === authority.id ? 'own' : 'other';
}

/** Throws `AuthorityError` with the time of the next try when an order would exceed a limit of the authority. */
export async function requireWithinLimits(providers: LedgerProviders, use: AuthorityUse): Promise<void> {
  const now = providers.now();
  for (const { key, kind, limit, unless } of budgetFor(providers, use)) {
    const times = [await nextAllowedAt(providers.authority, { key, limit }, now)];
    if (unless !== undefined) times.push(await nextAllowedAt(providers.authority, unless, now));
    const at = new Date(Math.min(...times.map((time) => time.getTime())));
    if (at <= now) continue;
    const detail = `The limit of ${limit.count} ${WHAT[kind]} is used up until ${at.toISOString()}.`;
    throw new AuthorityError(ownProblem('budget', detail, at.getTime() - now.getTime()));
  }
}

const NEAR_SHARE = 0.8;

/** Returns a sentence about the limit that an order comes near to while it still fits; null when there is none. */
export async function nearLimit(providers: LedgerProviders, use: AuthorityUse): Promise<string | null> {
  const now = providers.now().getTime();
  for (const { key, kind, limit, unless } of budgetFor(providers, use)) {
    // A share is only exhausted when the whole is short.
    if (unless !== undefined) continue;
    const since = new Date(now - limit.windowMs);
    const ofKey = { key: `${providers.authority.id} ${key}`, at: { $gt: since } };
    const used = await AuthorityUseModel.countDocuments(ofKey, { limit: limit.count });
    if (used > limit.count * NEAR_SHARE) return `${used} of ${limit.count} ${WHAT[kind]} are used.`;
  }
  return null;
}

async function nextAllowedAt(
  authority: Providers['authority'],
  { key, limit }: Pick<BudgetEntry, 'key' | 'limit'>,
  now: Date,
): Promise<Date> {
  const since = new Date(now.getTime() - limit.windowMs);
  const uses = await AuthorityUseModel.find({ key: `${authority.id} ${key}`, at: { $gt: since } }, { at: 1 })
    .sort({ at: -1 })
    .limit(limit.count)
    .lean();
  const times = uses.map(({ at }) => at);
  return freeAt(limit, times, now);
}

/** Records the use of a limit for these names. */
export async function countAuthorityUse(
  providers: LedgerProviders,
  use: AuthorityUse,
  kinds: readonly BudgetKind[],
): Promise<void> {
  const { authority, now } = providers;
  const keys = budgetFor(providers, use).filter(({ kind }) => kinds.includes(kind));
  const uses = keys.map(({ key }) => ({ _id: newId(), key: `${authority.id} ${key}`, at: now() }));
  if (uses.length > 0) await AuthorityUseModel.insertMany(uses);
}
