import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { CONFIRM_LINK_HOURS, RESET_LINK_MINUTES, STOP_LINK_DAYS } from '../../../routers/schemas/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import type { MailValues } from '../../mail/templates.ts';
import { type MailedTokenDoc, MailedTokenModel } from '../../models/mailed-token.ts';
import { newId } from '../../mongo.ts';
import type { ServiceContext } from '../../service-context.ts';
import { queueMail } from '../mail.ts';
import { hashToken } from '../token-hash.ts';

const SECRET_BYTES = 32;
const LIFE_MS = {
  'reset-password': RESET_LINK_MINUTES * MINUTE_MS,
  'confirm-email': CONFIRM_LINK_HOURS * HOUR_MS,
  'stop-email-change': STOP_LINK_DAYS * DAY_MS,
} as const;

export type MailedPurpose = MailedTokenDoc['purpose'];
type LinkValues = Extract<MailValues, { kind: MailedPurpose }>;

/** Makes a one-time token and mails its link, in one transaction. What the link is for is the kind of the mail. */
export async function mailLink(
  session: ClientSession,
  ctx: ServiceContext,
  { accountId, to, values }: { accountId: string; to: string; values: LinkValues },
): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(ctx.now().getTime() + LIFE_MS[values.kind]);
  await MailedTokenModel.create(
    [{ _id: newId(), accountId, purpose: values.kind, hash: hashToken(secret), email: to, expiresAt }],
    { session },
  );
  await queueMail(session, ctx.providers, { accountId, to, values, token: { secret, expiresAt } });
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
  if (token === null) throw tokenInvalid(purpose);
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

const LIFE_WORDS: Record<MailedPurpose, string> = {
  'reset-password': `${RESET_LINK_MINUTES} minutes`,
  'confirm-email': `${CONFIRM_LINK_HOURS} hours`,
  'stop-email-change': `${STOP_LINK_DAYS} days`,
};

/** The error for a link that is used, over, or was never made: the three are not told apart. */
export function tokenInvalid(purpose: MailedPurpose): AppError {
  return new AppError('token_invalid', 'This link was already used or has expired.', {
    hint: `Each link works once, for ${LIFE_WORDS[purpose]}. Ask for a new one.`,
  });
}
