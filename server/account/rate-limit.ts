import { createHash } from 'node:crypto';
import type { PipelineStage } from 'mongoose';
import { isLoopback } from '../../routers/rules/loopback.ts';
import type { ServiceContext } from '../context.ts';
import { type RateLimitDoc, RateLimitModel } from '../database/models/account/rate-limit.ts';
import { isDuplicateKey } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { AppError, signedOut } from '../lib/errors.ts';
import { networksOf } from '../lib/networks.ts';

type UpdatePipeline = (PipelineStage.Set | PipelineStage.Unset)[];

/**
 * The subject of a window counter: `key` may be an address, an account, a name; only its hash is stored. `amount` is
 * the weight of one act, by default 1: an upload counts its bytes. `rule` is a sentence that names the limit to a
 * refused caller.
 */
export type Count = { name: string; key: string; limit: number; windowMs: number; amount?: number; rule?: string };

/**
 * Attempts that are slowed down more and more: `free` of them at once, then `firstMs` between two, doubled each time
 * up to `maxMs`.
 */
export type Pace = { name: string; key: string; free: number; firstMs: number; maxMs: number };

/** A counter of paced attempts is forgotten this long after the last wait ended. */
const PACE_MEMORY_MS = 30 * 60_000;
const NOT_BLOCKED = null;

/**
 * Counts one act against a limit, atomically and over all instances, in windows that begin with their first act.
 * Throws `rate_limited` with `retryAfterMs` once a window has more than `limit` acts.
 */
export async function countAgainst(count: Count): Promise<void> {
  const counted = await addToCount(count);
  if (counted.count > count.limit) throw tooMany(counted.leftMs, count.rule);
}

/** Throws like `countAgainst` for one more act, and counts none. */
export async function requireRoomFor(count: Count): Promise<void> {
  const { count: counted, leftMs } = await readCount(count);
  if (counted + (count.amount ?? 1) > count.limit) throw tooMany(leftMs, count.rule);
}

/** Returns the count of the open window, and counts nothing. */
export async function readCount(counted: Pick<Count, 'name' | 'key'>): Promise<{ count: number; leftMs: number }> {
  const isOpen = { $gt: ['$expiresAt', '$$NOW'] };
  const counter = await RateLimitModel.findOne({ _id: idOf(counted), $expr: isOpen }).lean();
  if (counter === null) return { count: 0, leftMs: 0 };
  return { count: counter.count, leftMs: counter.expiresAt.getTime() - counter.at.getTime() };
}

/** Adds to a count that has several limits; the caller compares it with the right one. */
export async function addToCount(count: Omit<Count, 'limit'>): Promise<{ count: number; leftMs: number }> {
  const counter = await countOne(count);
  return { count: counter.count, leftMs: counter.expiresAt.getTime() - counter.at.getTime() };
}

/** Corrects a count of existing things, which can be counted again. */
export async function setCount({
  name,
  key,
  count,
  windowMs,
}: Omit<Count, 'limit'> & { count: number }): Promise<void> {
  await upsert(idOf({ name, key }), [{ $set: { at: '$$NOW', count, expiresAt: { $add: ['$$NOW', windowMs] } } }]);
}

/**
 * Counts one act of the caller within the hour, by account, else by address; returns the account, or null for a
 * stranger. Throws `rate_limited`, and `unauthenticated` for an expired token: that person is not a stranger.
 */
export async function countCaller(
  ctx: ServiceContext,
  { name, limit }: Pick<Count, 'name' | 'limit'>,
): Promise<string | null> {
  const { actor, origin } = ctx;
  if (actor.kind === 'anonymous' && origin.bearer !== undefined) throw signedOut(origin.bearer);
  const accountId = actor.kind === 'anonymous' ? null : actor.accountId;
  const counted = { name, limit, windowMs: HOUR_MS };
  const counts = accountId === null ? countsByAddress(ctx, counted) : [{ ...counted, key: accountId }];
  for (const count of counts) await countAgainst(count);
  return accountId;
}

/** Works like `countAgainst`, but only returns whether the act was within the limit. */
export async function isWithin(count: Count): Promise<boolean> {
  return (await countOne(count)).count <= count.limit;
}

/** Takes one act back that was counted ahead as a failure and was none. */
export async function takeBackCount(counted: { name: string; key: string }): Promise<void> {
  await RateLimitModel.updateOne({ _id: idOf(counted), count: { $gt: 0 } }, { $inc: { count: -1 } });
}

/** Takes a turn, or throws `rate_limited` with the remaining wait. A refused attempt does not make the wait longer. */
export async function enforcePace(pace: Pace): Promise<void> {
  const counter = await upsert(idOf(pace), turnPipeline(pace));
  if (counter.isBlocked) throw tooMany((counter.blockedUntil?.getTime() ?? 0) - counter.at.getTime());
}

/** Forgets the attempts: the next ones are free again. */
export async function resetPace(paced: { name: string; key: string }): Promise<void> {
  await RateLimitModel.deleteOne({ _id: idOf(paced) });
}

/**
 * Returns whether counters by address apply to this call. Loopback peers are people at the machine itself, unless
 * there is a proxy in front, and then the address is not theirs.
 */
export function countsAddress(ctx: ServiceContext): boolean {
  const { address } = ctx.origin;
  // A caller in process has a word there, and no peer.
  const isPeer = address.includes('.') || address.includes(':');
  return isPeer && (ctx.providers.limits.isAddressCounted || !isLoopback(address));
}

/** Returns the counts of a call by its address and the networks around it; empty when these do not apply. */
export function countsByAddress(ctx: ServiceContext, count: Omit<Count, 'key'>): Count[] {
  if (!countsAddress(ctx)) return [];
  return networksOf(ctx.origin.address).map(({ key, times }) => ({ ...count, key, limit: count.limit * times }));
}

/** Formats a wait for the messages of limits. */
function formatWait(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** Makes `rate_limited`, which says how long to wait; `rule` names the limit. */
export function tooMany(retryAfterMs: number, rule = 'Too many attempts.'): AppError {
  const waitMs = Math.max(1, retryAfterMs);
  return new AppError('rate_limited', `${rule} Try again in ${formatWait(waitMs)}.`, {
    retryAfterMs: waitMs,
  });
}

function idOf(counted: { name: string; key: string }): string {
  const hash = createHash('sha256').update(counted.key).digest('base64url');
  return `${counted.name}:${hash}`;
}

function countOne(count: Omit<Count, 'limit'>): Promise<RateLimitDoc> {
  const isOpen = { $gt: ['$expiresAt', '$$NOW'] };
  const amount = count.amount ?? 1;
  return upsert(idOf(count), [
    {
      $set: {
        at: '$$NOW',
        count: { $cond: [isOpen, { $add: ['$count', amount] }, amount] },
        expiresAt: { $cond: [isOpen, '$expiresAt', { $add: ['$$NOW', count.windowMs] }] },
      },
    },
  ]);
}

function turnPipeline(pace: Pace): UpdatePipeline {
  const doublings = { $min: [{ $subtract: ['$count', pace.free + 1] }, 30] };
  const waitMs = { $min: [{ $multiply: [pace.firstMs, { $pow: [2, doublings] }] }, pace.maxMs] };
  const blockedUntil = { $cond: [{ $gt: ['$count', pace.free] }, { $add: ['$$NOW', waitMs] }, NOT_BLOCKED] };
  const known = { $cond: [{ $gt: ['$expiresAt', '$$NOW'] }, '$count', 0] };
  return [
    { $set: { at: '$$NOW', isBlocked: { $gt: ['$blockedUntil', '$$NOW'] } } },
    { $set: { count: { $cond: ['$isBlocked', '$count', { $add: [known, 1] }] } } },
    { $set: { blockedUntil: { $cond: ['$isBlocked', '$blockedUntil', blockedUntil] } } },
    { $set: { expiresAt: { $add: [{ $max: ['$blockedUntil', '$$NOW'] }, PACE_MEMORY_MS] } } },
  ];
}

async function upsert(id: string, pipeline: UpdatePipeline): Promise<RateLimitDoc> {
  try {
    return await upsertOnce(id, pipeline);
  } catch (error) {
    // Two first acts came at once: one of the two upserts finds the counter already there.
    if (!isDuplicateKey(error)) throw error;
    return upsertOnce(id, pipeline);
  }
}

function upsertOnce(id: string, pipeline: UpdatePipeline): Promise<RateLimitDoc> {
  return RateLimitModel.findOneAndUpdate({ _id: id }, pipeline, {
    updatePipeline: true,
    upsert: true,
    returnDocument: 'after',
    // Losing a few acts in a crash does no harm; waiting for the journal at every call would.
    writeConcern: { w: 1 },
  })
    .lean()
    .orFail();
}
