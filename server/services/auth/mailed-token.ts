import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { LINK_MINUTES } from '../../../routers/schemas/limits.ts';
import { AppError } from '../../errors.ts';
import { type MailedTokenDoc, MailedTokenModel } from '../../models/mailed-token.ts';
import type { UserDoc } from '../../models/user.ts';
import { newId } from '../../mongo.ts';
import type { ServiceContext } from '../../service-context.ts';
import { queueMail } from '../mail.ts';
import { hashToken } from '../token-hash.ts';

/** Security facts, 1.2: 32 random bytes, 30 minutes, one use. */
const SECRET_BYTES = 32;

export type MailedPurpose = MailedTokenDoc['purpose'];
type Addressee = Pick<UserDoc, '_id' | 'username'>;

/** Mails a link that proves this address. */
export function mailConfirmation(
  session: ClientSession,
  ctx: ServiceContext,
  user: Addressee,
  email: string,
): Promise<void> {
  return mailLink(session, ctx, user, { purpose: 'confirm-email', email });
}

/** Makes a one-time token and mails its link, in one transaction. */
export async function mailLink(
  session: ClientSession,
  ctx: ServiceContext,
  user: Addressee,
  { purpose, email }: { purpose: MailedPurpose; email: string },
): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(ctx.now().getTime() + LINK_MINUTES * 60_000);
  await MailedTokenModel.create(
    [{ _id: newId(), accountId: user._id, purpose, hash: hashToken(secret), email, expiresAt }],
    { session },
  );
  await queueMail(session, ctx.providers, {
    accountId: user._id,
    to: email,
    words: { kind: purpose, username: user.username },
    token: { secret, expiresAt },
  });
}

/** Whether the token is still good; it stays so. */
export async function isOpenToken(ctx: ServiceContext, purpose: MailedPurpose, secret: string): Promise<boolean> {
  const open = await MailedTokenModel.exists(openToken(ctx, purpose, secret)).setOptions({ acrossAccounts: 'sign-in' });
  return open !== null;
}

/**
 * Uses a token up, and every other open one of the same purpose with it: of two uses at once one succeeds.
 * Throws `token_invalid`.
 */
export async function redeemToken(
  session: ClientSession,
  ctx: ServiceContext,
  purpose: MailedPurpose,
  secret: string,
): Promise<{ accountId: string; email: string }> {
  const usedAt = ctx.now();
  const token = await MailedTokenModel.findOneAndUpdate(
    openToken(ctx, purpose, secret),
    { $set: { usedAt } },
    { session, acrossAccounts: 'sign-in' },
  );
  if (token === null) throw tokenInvalid();
  const { accountId, email } = token;
  await closeTokens(session, ctx, accountId, purpose);
  return { accountId, email };
}

/** Makes all links of this purpose useless that were mailed to the account. */
export async function closeTokens(
  session: ClientSession,
  ctx: ServiceContext,
  accountId: string,
  purpose: MailedPurpose,
): Promise<void> {
  await MailedTokenModel.updateMany({ accountId, purpose, usedAt: null }, { $set: { usedAt: ctx.now() } }, { session });
}

function openToken(ctx: ServiceContext, purpose: MailedPurpose, secret: string) {
  return { hash: hashToken(secret), purpose, usedAt: null, expiresAt: { $gt: ctx.now() } };
}

/** `token_invalid`; the same for a link that is used, over, or was never made. */
export function tokenInvalid(): AppError {
  return new AppError('token_invalid', 'This link was already used, or it is too old.', {
    hint: `A link works once, for ${LINK_MINUTES} minutes. Ask for a new one.`,
  });
}
