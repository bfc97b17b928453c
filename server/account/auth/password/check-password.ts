import type { ServiceContext } from '../../../context.ts';
import type { UserDoc } from '../../../database/models/account/user.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { AppError } from '../../../lib/errors.ts';
import {
  countAgainst,
  countsAddress,
  countsByAddress,
  enforcePace,
  isWithin,
  resetPace,
  takeBackCount,
} from '../../rate-limit.ts';
import type { SessionContext } from '../sessions.ts';
import { withHashingSlot, withinRightPasswords } from './hashing-slot.ts';

/** After the free failures the wait is 1, 2, 4 … seconds, up to 15 minutes. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** While a name is under attack, all strangers together get one attempt in two seconds. */
const STRANGER_INTERVAL_MS = 2_000;

const BY_ADDRESS = 'password-failures-address';
const BY_PAIR = 'password-failures-pair';
const BY_NAME = 'password-failures-name';
const BY_STRANGERS = 'password-turn-strangers';

export type PasswordAttempt = {
  /** The name that is tried, whether or not the account exists. */
  nameKey: string;
  password: string;
  passwordHash: string | null;
  /** A browser or session that this account is known on: it is counted by itself, unaffected by strangers. */
  knownBy: string | null;
};

/**
 * Checks a password under limits that slow guessing down and never lock the owner out. An attempt is counted before it
 * is made, so that simultaneous ones count too, and taken back if it was right. An unknown user costs the same work
 * and the same database commands. Throws `rate_limited` or `overloaded`.
 */
export async function checkPassword(
  ctx: ServiceContext,
  attempt: PasswordAttempt,
): Promise<{ matches: boolean; needsRehash: boolean }> {
  const { nameKey, knownBy } = attempt;
  const counted: Counted[] = [];
  const pair = pairOf(ctx, nameKey, knownBy);
  try {
    if (pair !== null) await countPair(ctx, pair, counted);
    if (knownBy === null) await countAddress(ctx, counted);
    await countName(ctx, nameKey, knownBy, counted);
    // Strangers who fill the queue of a name do not block the browsers that its owner is known on.
    const line = knownBy === null ? nameKey : `${nameKey}\nknown`;
    const checked = await withHashingSlot(ctx, line, () =>
      withinRightPasswords(ctx, nameKey, () => ctx.providers.hasher.verify(attempt.password, attempt.passwordHash)),
    );
    if (checked.matches) {
      await takeBack(counted);
      if (pair !== null) await resetPace(pair);
    }
    return checked;
  } catch (error) {
    // It was not tried: an attempt that a limit or a full queue refused is no wrong password.
    await takeBack(counted);
    throw error;
  }
}

type Counted = { name: string; key: string };

function pairOf(ctx: ServiceContext, nameKey: string, knownBy: string | null): Counted | null {
  if (knownBy !== null) return { name: BY_PAIR, key: `${nameKey}\n${knownBy}` };
  return countsAddress(ctx) ? { name: BY_PAIR, key: `${nameKey}\n${ctx.origin.address}` } : null;
}

async function countPair(ctx: ServiceContext, pair: Counted, counted: Counted[]): Promise<void> {
  const free = ctx.providers.limits.freeFailuresPerUsernameAndAddress;
  await enforcePace({ ...pair, free, firstMs: FIRST_WAIT_MS, maxMs: LONGEST_WAIT_MS });
  counted.push(pair);
}

async function countAddress(ctx: ServiceContext, counted: Counted[]): Promise<void> {
  const { count: limit, windowMs } = ctx.providers.limits.failuresPerAddress;
  for (const count of countsByAddress(ctx, { name: BY_ADDRESS, limit, windowMs })) {
    await countAgainst(count);
    counted.push(count);
  }
}

async function countName(
  ctx: ServiceContext,
  nameKey: string,
  knownBy: string | null,
  counted: Counted[],
): Promise<void> {
  const { count: limit, windowMs } = ctx.providers.limits.failuresPerUsername;
  const byName = { name: BY_NAME, key: nameKey };
  const isCalm = await isWithin({ ...byName, limit, windowMs });
  counted.push(byName);
  if (isCalm || knownBy !== null) return;
  const pace = { free: 0, firstMs: STRANGER_INTERVAL_MS, maxMs: STRANGER_INTERVAL_MS };
  await enforcePace({ name: BY_STRANGERS, key: nameKey, ...pace });
}

async function takeBack(counted: Counted[]): Promise<void> {
  await Promise.all(counted.map((one) => takeBackCount(one)));
}

/**
 * Checks the signed-in person's password before an act that only the owner may do. The change that follows must match
 * `user.passwordHash`, since a reset may come between. Throws `validation_failed` on `currentPassword`,
 * `rate_limited`, `overloaded`.
 */
export async function requireCurrentPassword(
  ctx: SessionContext,
  { usernameKey, passwordHash }: Pick<UserDoc, 'usernameKey' | 'passwordHash'>,
  password: string,
): Promise<void> {
  const { matches } = await checkPassword(ctx, {
    nameKey: usernameKey,
    password,
    passwordHash,
    knownBy: ctx.actor.sessionId,
  });
  if (!matches) throw currentPasswordWrong();
}

/**
 * Returns the error for a signed-in person whose current password is wrong. It is not a 401, because the session is
 * fine.
 */
export function currentPasswordWrong(): AppError {
  return new AppError('validation_failed', 'The current password is not right.', {
    field: 'currentPassword',
    fieldErrors: { currentPassword: 'The current password is not right' },
  });
}

/**
 * Counts a new password or API token after the current password was given, because each is notified by mail. A link
 * for a new password does not count, so that somebody else who knows the old one cannot keep the owner from it. Throws
 * `rate_limited`.
 */
export async function countCredentialAct({ actor, providers }: SessionContext): Promise<void> {
  const limit = providers.limits.credentialActsPerHour;
  await countAgainst({ name: 'credential-acts', key: actor.accountId, limit, windowMs: HOUR_MS });
}
