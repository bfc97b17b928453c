import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import {
  CONFIRM_LINK_HOURS,
  DELETE_LINK_MINUTES,
  RESET_LINK_MINUTES,
  STOP_LINK_DAYS,
} from '../../../routers/schemas/limits.ts';
import type { ServiceContext } from '../../context.ts';
import { type MailedTokenDoc, MailedTokenModel } from '../../database/models/mailed-token.ts';
import type { UserDoc } from '../../database/models/user.ts';
import { newId } from '../../database/mongo.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import type { MailValues } from '../../mail/templates.ts';
import { queueMail } from '../mail.ts';
import { hashToken } from '../token-hash.ts';
import { emailKey } from './name-keys.ts';

const SECRET_BYTES = 32;
const LIFE_MS = {
  'reset-password': RESET_LINK_MINUTES * MINUTE_MS,
  'confirm-email': CONFIRM_LINK_HOURS * HOUR_MS,
  'stop-email-change': STOP_LINK_DAYS * DAY_MS,
  'delete-account': DELETE_LINK_MINUTES * MINUTE_MS,
} as const;

export type MailedPurpose = MailedTokenDoc['purpose'];
type LinkValues = Extract<MailValues, { kind: MailedPurpose }>;

/** Makes a one-time token for whoever reads what arrives at this address. */
export async function makeToken(
  session: ClientSession,
  ctx: ServiceContext,
  { accountId, purpose, email }: { accountId: string; purpose: MailedPurpose; email: string },
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const expiresAt = new Date(ctx.now().getTime() + LIFE_MS[purpose]);
  const hash = hashToken(secret);
  const token = { _id: newId(), accountId, purpose, hash, email, emailKey: emailKey(email), expiresAt };
  await MailedTokenModel.create([token], { session });
  return { secret, expiresAt };
}

/** Makes a one-time token and mails its link, in one transaction. What the link is for is the kind of the mail. */
export async function mailLink(
  session: ClientSession,
  ctx: ServiceContext,
  { accountId, to, values }: { accountId: string; to: string; values: LinkValues },
): Promise<void> {
  const token = await makeToken(session, ctx, { accountId, purpose: values.kind, email: to });
  await queueMail(session, ctx.providers, { accountId, to, values, token });
}

/** Whether the token is still good; it stays so. */
export async function isOpenToken(ctx: ServiceContext, purpose: MailedPurpose, secret: string): Promise<boolean> {
  const open = await MailedTokenModel.exists(openToken(ctx, purpose, secret)).setOptions({ acrossAccounts: 'sign-in' });
  return open !== null;
}

/**
 * Uses a token up, and every other open one of the same purpose with it: of two uses at once one succeeds. Of links that
 * stop a change only the later ones end: an earlier one leads back to an address before, and who uses this one may be the
 * person whom that one is to stop. Throws `token_invalid`.
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
  const { accountId, email, expiresAt } = token;
  await closeTokens(session, ctx, accountId, purpose, purpose === 'stop-email-change' ? expiresAt : null);
  return { accountId, email };
}

/** Makes all links of this purpose useless that were mailed to the account, or those that end at that time or later. */
export async function closeTokens(
  session: ClientSession,
  ctx: ServiceContext,
  accountId: string,
  purpose: MailedPurpose,
  endingFrom: Date | null = null,
): Promise<void> {
  const open = { accountId, purpose, usedAt: null, ...(endingFrom !== null && { expiresAt: { $gte: endingFrom } }) };
  await MailedTokenModel.updateMany(open, { $set: { usedAt: ctx.now() } }, { session });
}

/**
 * Whether an address is held for an account that it may still be given back to, by a link that stops a change. Asked after
 * the accounts themselves: whoever gives it back meanwhile has it, and the index decides.
 */
export async function isHeldEmail(ctx: ServiceContext, key: string, forAccountId: string | null): Promise<boolean> {
  const stopping = {
    emailKey: key,
    purpose: 'stop-email-change' as const,
    usedAt: null,
    expiresAt: { $gt: ctx.now() },
  };
  const held = await MailedTokenModel.exists({ ...stopping, accountId: { $ne: forAccountId } });
  return held !== null;
}

/**
 * Returns the address whose reader decides whether the account ends: the first that it may still be given back to, or its
 * own once that is confirmed; null where nobody is known to read any.
 */
export async function decidingAddress(
  ctx: ServiceContext,
  { _id: accountId, email, emailConfirmedAt }: Pick<UserDoc, '_id' | 'email' | 'emailConfirmedAt'>,
): Promise<string | null> {
  const stopping = { accountId, purpose: 'stop-email-change' as const, usedAt: null, expiresAt: { $gt: ctx.now() } };
  // A few: as many as changes may be asked for in these days.
  const links = await MailedTokenModel.find(stopping, { email: 1, expiresAt: 1 }).lean();
  const [first] = links.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
  return first?.email ?? (emailConfirmedAt instanceof Date ? email : null);
}

function openToken(ctx: ServiceContext, purpose: MailedPurpose, secret: string) {
  return { hash: hashToken(secret), purpose, usedAt: null, expiresAt: { $gt: ctx.now() } };
}

const LIFE_WORDS: Record<MailedPurpose, string> = {
  'reset-password': `${RESET_LINK_MINUTES} minutes`,
  'confirm-email': `${CONFIRM_LINK_HOURS} hours`,
  'stop-email-change': `${STOP_LINK_DAYS} days`,
  'delete-account': `${DELETE_LINK_MINUTES} minutes`,
};

/** The error for a link that is used, over, or was never made: the three are not told apart. */
export function tokenInvalid(purpose: MailedPurpose): AppError {
  return new AppError('token_invalid', 'This link was already used or has expired.', {
    hint: `Each link works once, for ${LIFE_WORDS[purpose]}. Ask for a new one.`,
  });
}
