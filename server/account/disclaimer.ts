import { DISCLAIMER_VERSION, type DisclaimerStatus } from '../../routers/schemas/disclaimer.ts';
import { formatCount } from '../../routers/schemas/format-count.ts';
import { DISCLAIMER_COOKIE_SECONDS } from '../../routers/schemas/limits.ts';
import { idSchema } from '../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../context.ts';
import {
  type DisclaimerAcceptanceDoc,
  DisclaimerAcceptanceModel,
} from '../database/models/account/disclaimer-acceptance.ts';
import { UserModel } from '../database/models/account/user.ts';
import { newId } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { notFound, signedOut } from '../lib/errors.ts';
import { countAgainst, countsByAddress } from './rate-limit.ts';

/** Returns whether the current version is accepted: by the signed-in account, else by this browser. */
export async function getDisclaimerStatus(ctx: ServiceContext): Promise<DisclaimerStatus> {
  if (ctx.actor.kind === 'anonymous') {
    const acceptance = await acceptanceOfBrowser(ctx);
    return status(acceptance?.acceptedAt ?? null);
  }
  const user = await UserModel.findOne({ _id: ctx.actor.accountId }, { disclaimer: 1 });
  const accepted = user?.disclaimer;
  return status(accepted && accepted.version >= DISCLAIMER_VERSION ? (accepted.acceptedAt ?? null) : null);
}

/**
 * Records acceptance of the current version: on the signed-in account; signed out, with time, version and a random id
 * in an HttpOnly cookie, by which registration or login joins it. It keeps its first time. An expired token throws
 * `unauthenticated`, or the account would never learn of it; very many from one address throw `rate_limited`.
 */
export async function acceptDisclaimer(ctx: ServiceContext): Promise<DisclaimerStatus> {
  const { actor, origin } = ctx;
  if (actor.kind !== 'anonymous') return acceptForAccount(actor.accountId, ctx.now());
  if (origin.bearer !== undefined) throw signedOut(origin.bearer);
  const known = await acceptanceOfBrowser(ctx);
  if (known !== null) return status(known.acceptedAt);
  const limit = ctx.providers.limits.acceptancesPerHour;
  const rule = `The disclaimer can be accepted ${formatCount(limit, 'time')} an hour from one IP address. Log in to accept it now.`;
  for (const count of countsByAddress(ctx, { name: 'acceptances', limit, windowMs: HOUR_MS, rule }))
    await countAgainst(count);
  const now = ctx.now();
  const acceptance = await DisclaimerAcceptanceModel.create({
    _id: newId(),
    version: DISCLAIMER_VERSION,
    acceptedAt: now,
    expiresAt: new Date(now.getTime() + DISCLAIMER_COOKIE_SECONDS * 1_000),
  });
  ctx.jar.write('disclaimer', acceptance._id);
  return status(now);
}

/**
 * Joins the acceptance of this browser to the account that now signs in on it. It joins one account only: the next
 * person at the same browser is asked again.
 */
export async function joinDisclaimerAcceptance(ctx: ServiceContext, accountId: string): Promise<void> {
  const acceptance = await acceptanceOfBrowser(ctx);
  if (acceptance === null || typeof acceptance.accountId === 'string') return;
  const joined = await DisclaimerAcceptanceModel.updateOne(
    { _id: acceptance._id, accountId: null },
    { $set: { accountId, expiresAt: null } },
  );
  if (joined.modifiedCount === 1) await writeAcceptance(accountId, acceptance.version, acceptance.acceptedAt);
}

async function acceptForAccount(accountId: string, now: Date): Promise<DisclaimerStatus> {
  await writeAcceptance(accountId, DISCLAIMER_VERSION, now);
  const user = await UserModel.findOne({ _id: accountId }, { disclaimer: 1 });
  if (user === null) throw notFound('account');
  return status(user.disclaimer?.acceptedAt ?? null);
}

async function writeAcceptance(accountId: string, version: number, acceptedAt: Date): Promise<void> {
  await UserModel.updateOne(
    { _id: accountId, 'disclaimer.version': { $lt: version } },
    { $set: { disclaimer: { version, acceptedAt } } },
  );
}

/** Returns the acceptance of the current version that this browser's cookie names. */
async function acceptanceOfBrowser(ctx: ServiceContext): Promise<DisclaimerAcceptanceDoc | null> {
  const id = idSchema.safeParse(ctx.jar.read('disclaimer'));
  if (!id.success) return null;
  return DisclaimerAcceptanceModel.findOne({ _id: id.data, version: { $gte: DISCLAIMER_VERSION } });
}

function status(acceptedAt: Date | null): DisclaimerStatus {
  return { version: DISCLAIMER_VERSION, accepted: acceptedAt !== null, acceptedAt };
}
