import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import type { ApiToken, CreatedToken, CreateTokenInput, RevokeTokenInput } from '../../../routers/schemas/tokens.ts';
import type { AccountContext } from '../../context.ts';
import { type ApiTokenDoc, ApiTokenModel, toApiToken } from '../../database/models/account/api-token.ts';
import { UserModel } from '../../database/models/account/user.ts';
import { newId, transaction } from '../../database/mongo.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { DAY_MS } from '../../lib/durations.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { TOKEN_PREFIX } from '../../lib/token-prefix.ts';
import { mailNotice } from '../mail/queue-mail.ts';
import { countCredentialAct, currentPasswordWrong, requireCurrentPassword } from './password/check-password.ts';
import type { SessionContext } from './sessions.ts';
import { signedInUser } from './signed-in-user.ts';

/**
 * A token is `flt_`, 32 random bytes in base64url, and a checksum by which secret scanners distinguish a token from
 * random text.
 */
const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN_FORM = /^flt_[A-Za-z0-9_-]{49}$/;
const SHOWN_LENGTH = 8;
const LAST_USED_INTERVAL_MS = 60_000;
/** More than a person can keep apart; the list has one page. */
const MAX_TOKENS = 100;

/** Returns the account's API tokens, newest first, without their secrets. */
export async function listTokens(ctx: AccountContext): Promise<{ items: ApiToken[] }> {
  const docs = await ApiTokenModel.find({ accountId: ctx.actor.accountId })
    .sort({ createdAt: -1, _id: -1 })
    .limit(MAX_TOKENS);
  return { items: docs.map(toApiToken) };
}

/**
 * Makes an API token; no later call shows its secret. It outlives the browser session that makes it, so the password
 * is required again, and a mail confirms it. Throws `validation_failed` on `currentPassword`, `conflict` at 100
 * tokens, `rate_limited`, `overloaded`.
 */
export async function createToken(ctx: SessionContext, input: CreateTokenInput): Promise<CreatedToken> {
  const { accountId } = ctx.actor;
  const user = await signedInUser(ctx);
  const { passwordHash, username } = user;
  await requireCurrentPassword(ctx, user, input.currentPassword);
  await countCredentialAct(ctx);
  const secret = newApiToken();
  const days = input.expiresInDays ?? null;
  const fields = {
    _id: newId(),
    accountId,
    name: input.name,
    hash: hashToken(secret),
    prefix: secret.slice(0, SHOWN_LENGTH),
    scopes: [...new Set(input.scopes)],
    expiresAt: days === null ? null : new Date(ctx.now().getTime() + days * DAY_MS),
  };
  const doc = await transaction(async (session) => {
    // This is written first: of two simultaneous creations one conflicts here, runs again and counts the other's token.
    const owner = await UserModel.updateOne(
      { _id: accountId, passwordHash },
      { $inc: { tokenWrites: 1 } },
      { session },
    );
    // A reset or the end of the account came first, and has revoked all tokens: no later one may be made.
    if (owner.matchedCount === 0) throw currentPasswordWrong();
    if ((await ApiTokenModel.countDocuments({ accountId }).session(session)) >= MAX_TOKENS) throw tooManyTokens();
    const [made] = await ApiTokenModel.create([fields], { session });
    const values = {
      kind: 'token-made',
      username,
      tokenName: input.name,
      canWrite: input.scopes.includes('write'),
    } as const;
    await mailNotice(session, ctx.providers, user, values);
    return made;
  });
  if (doc === undefined) throw new Error('An insert gave no document.');
  return { ...toApiToken(doc), secret };
}

function tooManyTokens(): AppError {
  return new AppError('conflict', `An account can have ${MAX_TOKENS} API tokens. Revoke one that is no longer used.`);
}

/** Ends an API token at once. Throws `not_found`. */
export async function revokeToken(ctx: AccountContext, input: RevokeTokenInput): Promise<Done> {
  const revoked = await ApiTokenModel.deleteOne({ _id: input.tokenId, accountId: ctx.actor.accountId });
  if (revoked.deletedCount === 0) throw notFound('API token');
  return DONE;
}

/** Returns the API token of a bearer, or null when it is unknown, revoked or expired. Records its use once a minute. */
export async function findApiToken(bearer: string, now: Date): Promise<ApiTokenDoc | null> {
  if (!hasRightChecksum(bearer)) return null;
  const doc = await ApiTokenModel.findOne({ hash: hashToken(bearer) }).setOptions({ acrossAccounts: 'sign-in' });
  if (doc === null || (doc.expiresAt instanceof Date && doc.expiresAt <= now)) return null;
  const usedBefore = new Date(now.getTime() - LAST_USED_INTERVAL_MS);
  if (!(doc.lastUsedAt instanceof Date) || doc.lastUsedAt <= usedBefore) {
    await ApiTokenModel.updateOne(
      { _id: doc._id, accountId: doc.accountId, lastUsedAt: doc.lastUsedAt ?? null },
      { $set: { lastUsedAt: now } },
    );
  }
  return doc;
}

/** Judges by the prefix; the rest is checked when it is looked up. */
export function isApiToken(bearer: string): boolean {
  return bearer.startsWith(TOKEN_PREFIX);
}

function newApiToken(): string {
  const body = randomBytes(SECRET_BYTES).toString('base64url');
  return `${TOKEN_PREFIX}${body}${checksum(body)}`;
}

/** Refuses a mistyped or invented token without asking the database. */
function hasRightChecksum(token: string): boolean {
  if (!TOKEN_FORM.test(token)) return false;
  const body = token.slice(TOKEN_PREFIX.length, -CHECKSUM_LENGTH);
  return timingSafeEqual(Buffer.from(checksum(body)), Buffer.from(token.slice(-CHECKSUM_LENGTH)));
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, CHECKSUM_LENGTH);
}
