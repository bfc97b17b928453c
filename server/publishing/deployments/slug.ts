import { randomInt } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import {
  type AddressCheck,
  type CheckAddressInput,
  cutSlug,
  nextNumbered,
  RESERVED_SLUGS,
  slugFromName,
} from '../../../routers/schemas/deployments.ts';
import { HELD_SLUG_DAYS, HELD_SLUGS_MAX, SLUG_MAX } from '../../../routers/schemas/limits.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { ID_ALPHABET } from '../../../routers/schemas/primitives.ts';
import type { AccountContext } from '../../context.ts';
import { findDeployment } from '../../database/find-deployment.ts';
import { type DeploymentDoc, DeploymentModel } from '../../database/models/publishing/deployment.ts';
import { HeldSlugModel } from '../../database/models/publishing/held-slug.ts';
import { DAY_MS } from '../../lib/durations.ts';

/** Stands for a name that has no letter or digit. */
const NAMELESS = 'website';
const COUNTED_MAX = 9;
const RANDOM_SUFFIX_LENGTH = 5;

/** An account may hold very many from the time before they were limited; a transaction's writes are kept small. */
const FREED_AT_ONCE = 100;

/**
 * Returns the address that a name would get now, or whether a deployment can have the requested one. Asking reserves
 * nothing. Throws `not_found`.
 */
export async function checkAddress(ctx: AccountContext, input: CheckAddressInput): Promise<AddressCheck> {
  const { accountId } = ctx.actor;
  if ('slug' in input) {
    const { slug: own } = await findDeployment(ctx, input.deploymentId);
    const mayHave = input.slug === own || (await isSlugFree(null, accountId, input.slug));
    return { wanted: input.slug, slug: mayHave ? input.slug : null };
  }
  const candidates = candidatesFor(input.name).slice(0, -1);
  const taken = await takenSlugs(null, accountId, candidates);
  return {
    wanted: slugFromName(input.name) || NAMELESS,
    slug: candidates.find((slug) => !taken.has(slug)) ?? null,
  };
}

/** Returns a free address for a new deployment: the name's own, then with a number, then with random letters. */
export async function freeSlug(session: ClientSession, accountId: string, name: string): Promise<string> {
  const candidates = candidatesFor(name);
  const taken = await takenSlugs(session, accountId, candidates);
  const free = candidates.find((slug) => !taken.has(slug));
  if (free === undefined) throw new Error('Every candidate for an address is taken, the random one as well.');
  await HeldSlugModel.deleteOne({ _id: free, accountId }).session(session);
  return free;
}

/**
 * Returns the site name to request from a platform with names of its own. A number that only the address here needed
 * is left out.
 */
export function wantedNameOf({ name, slug }: Pick<DeploymentDoc, 'name' | 'slug'>): string {
  const base = slugFromName(name) || NAMELESS;
  const suffix = slug.slice(slug.lastIndexOf('-') + 1);
  // A long name was cut to make room for it.
  return isOurs(suffix) && [base, nextNumbered(base).stem].some((stem) => slug === withSuffix(stem, suffix))
    ? base
    : slug;
}

/** Returns whether this account can take the address: no deployment uses it, and it is reserved for nobody else. */
export async function isSlugFree(session: ClientSession | null, accountId: string, slug: string): Promise<boolean> {
  return (await takenSlugs(session, accountId, [slug])).size === 0;
}

/**
 * Reserves the address that a deployment leaves for 30 days, if anybody can have seen something there. One reservation
 * too many ends the account's oldest.
 */
export async function reserveSlug(
  session: ClientSession,
  { accountId, slug, currentReleaseId, destinations }: DeploymentDoc,
  now: Date,
): Promise<void> {
  const wasLive = typeof currentReleaseId === 'string';
  if (!wasLive || !destinations.some(({ platform }) => PLATFORMS[platform].isServedHere)) return;
  const heldUntil = new Date(now.getTime() + HELD_SLUG_DAYS * DAY_MS);
  await HeldSlugModel.updateOne({ _id: slug, accountId }, { $set: { heldUntil } }, { session, upsert: true });
  const beyond = await HeldSlugModel.find({ accountId, _id: { $ne: slug } }, { _id: 1 })
    .sort({ heldUntil: -1, _id: 1 })
    .skip(HELD_SLUGS_MAX - 1)
    .limit(FREED_AT_ONCE)
    .session(session)
    .lean();
  if (beyond.length === 0) return;
  await HeldSlugModel.deleteMany({ accountId, _id: { $in: beyond.map(({ _id }) => _id) } }, { session });
}

/** Drops the reservation, since the account uses its own address again. */
export async function dropSlugReservation(session: ClientSession, accountId: string, slug: string): Promise<void> {
  await HeldSlugModel.deleteOne({ _id: slug, accountId }).session(session);
}

/** Lists slugs in the order in which they are tried; the last one holds random letters. */
function candidatesFor(name: string): string[] {
  const base = slugFromName(name) || NAMELESS;
  const { stem, next } = nextNumbered(base);
  const counted = Array.from({ length: COUNTED_MAX + 1 - next }, (_, index) => withSuffix(stem, String(index + next)));
  const random = Array.from({ length: RANDOM_SUFFIX_LENGTH - 1 }, () =>
    ID_ALPHABET.charAt(randomInt(ID_ALPHABET.length)),
  );
  // With a digit it is told from a word of a person.
  const suffix = [...random, randomInt(10)].join('');
  const plain = RESERVED_SLUGS.includes(base) ? [] : [base];
  return [...plain, ...counted, withSuffix(base, suffix)];
}

/** Returns whether it may be one of `candidatesFor`, and not a word that its person chose. */
function isOurs(suffix: string): boolean {
  return /^[2-9]$/.test(suffix) || (suffix.length === RANDOM_SUFFIX_LENGTH && /\d/.test(suffix));
}

function withSuffix(base: string, suffix: string): string {
  return `${cutSlug(base, SLUG_MAX - suffix.length - 1)}-${suffix}`;
}

async function takenSlugs(
  session: ClientSession | null,
  accountId: string,
  slugs: readonly string[],
): Promise<Set<string>> {
  const used = await DeploymentModel.find({ slug: { $in: [...slugs] } }, { slug: 1 })
    .setOptions({ acrossAccounts: 'unique-name' })
    .session(session);
  const held = await HeldSlugModel.find(
    { _id: { $in: [...slugs] }, accountId: { $ne: accountId } },
    { _id: 1 },
  ).session(session);
  return new Set([...used.map((doc) => doc.slug), ...held.map((doc) => doc._id)]);
}
