import type { ClientSession } from 'mongoose';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { formatSize } from '../../../routers/schemas/format-size.ts';
import { outboxCommand } from '../../../routers/schemas/outbox-command.ts';
import { addToCount, readCount, setCount } from '../../account/rate-limit.ts';
import type { AccountContext, Providers } from '../../context.ts';
import { UserModel, type UserRow } from '../../database/models/account/user.ts';
import { ArtifactModel } from '../../database/models/publishing/artifact.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';

/**
 * An account's bytes are added to the common count in steps of this size, so that a small file needs no further query.
 */
const STEP_BYTES = 1024 ** 2;
/** The smallest file takes this much on most disks. */
const BLOCK_BYTES = 4_096;
const OF_ALL = { name: 'unconfirmed-bytes', key: 'all', windowMs: DAY_MS };

/**
 * Adds an unconfirmed account's bytes to the common count of all such accounts: together they never have more than is
 * still free, so that accounts which cost nothing leave half of the room to the others. `sentBytes` is the account's
 * total for today, including these `sizeBytes`. Throws `quota_exhausted`.
 */
export async function countUnconfirmedBytes(ctx: AccountContext, sentBytes: number, sizeBytes: number): Promise<void> {
  const steps = Math.floor(sentBytes / STEP_BYTES) - Math.floor((sentBytes - sizeBytes) / STEP_BYTES);
  if (steps === 0) return;
  const hint = await unconfirmedHint(ctx);
  if (hint === null) return;
  const { count } = await addToCount({ ...OF_ALL, amount: steps * STEP_BYTES });
  await requireRoom(ctx, count, hint);
}

/** Throws `quota_exhausted` if this many bytes would exceed it now, and counts nothing. */
export async function requireUnconfirmedRoom(ctx: AccountContext, sizeBytes: number): Promise<void> {
  const hint = await unconfirmedHint(ctx);
  if (hint !== null) await requireRoom(ctx, (await readCount(OF_ALL)).count + sizeBytes, hint);
}

async function requireRoom({ providers }: AccountContext, neededBytes: number, hint: string): Promise<void> {
  const freeBytes = await providers.store.freeBytes();
  if (neededBytes <= freeBytes) return;
  throw new AppError(
    'quota_exhausted',
    `Accounts without a confirmed email address share their storage, and only ${formatSize(freeBytes)} of it is left.`,
    { hint, retryAfterMs: HOUR_MS },
  );
}

/** Corrects the common count: removed files are free again, and confirmed accounts no longer count. */
export async function recountUnconfirmedBytes(providers: Providers, signal: AbortSignal): Promise<void> {
  const accounts = UserModel.aggregate<{ stored: { sizeBytes: number }[] }>([
    { $match: unconfirmedSince(providers) },
    {
      $lookup: {
        from: ArtifactModel.collection.name,
        localField: '_id',
        foreignField: 'accountId',
        pipeline: [{ $group: { _id: null, sizeBytes: { $sum: { $max: ['$sizeBytes', BLOCK_BYTES] } } } }],
        as: 'stored',
      },
    },
    { $project: { stored: 1 } },
  ])
    .hint({ _id: 1 })
    .cursor();
  let count = 0;
  for await (const { stored } of accounts) {
    signal.throwIfAborted();
    count += stored[0]?.sizeBytes ?? 0;
  }
  await setCount({ ...OF_ALL, count });
}

/**
 * Returns how an account with an unconfirmed address gets the whole allowance; null when it has that. A person who
 * installed this Fairlead for themselves has such an account: they learn where the link is, and that they may wait.
 */
export async function unconfirmedHint(
  { actor, providers }: AccountContext,
  session: ClientSession | null = null,
): Promise<string | null> {
  const unconfirmed = unconfirmedSince(providers);
  const user = await UserModel.findOne({ _id: actor.accountId, ...unconfirmed }, { createdAt: 1, email: 1 })
    .session(session)
    .lean<Pick<UserRow, 'createdAt' | 'email'>>();
  if (user === null) return null;
  if (!providers.mailer.keepsMail) return 'Confirm your email address to publish more.';
  const days = Math.ceil((user.createdAt.getTime() - unconfirmed.createdAt.$gt.getTime()) / DAY_MS);
  const where = `run “${outboxCommand(user.email, 'confirm-email')}” on the computer where Fairlead runs to see the link`;
  return `Confirm your email address to publish more: ${where}. Or wait ${formatCount(days, 'day')}.`;
}

function unconfirmedSince({ limits, now }: Providers) {
  const since = new Date(Math.max(0, now().getTime() - limits.smallWhileUnconfirmedMs));
  return { emailConfirmedAt: null, createdAt: { $gt: since } };
}
