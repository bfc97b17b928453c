import { randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import {
  CONFIRM_LINK_HOURS,
  DELETE_LINK_MINUTES,
  RESET_LINK_MINUTES,
  STOP_LINK_DAYS,
} from '../../../routers/schemas/limits.ts';
import type { ServiceContext } from '../../context.ts';
import { type MailedTokenDoc, MailedTokenModel } from '../../database/models/account/mailed-token.ts';
import type { UserDoc } from '../../database/models/account/user.ts';
import { newId } from '../../database/mongo.ts';
import { hashToken } from '../../lib/crypto/token-hash.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { AppError } from '../../lib/errors.ts';
import { queueMail } from '../mail/queue-mail.ts';
import type { MailValues } from '../mail/templates.ts';
import { emailKey } from '../name-keys.ts';

const SECRET_BYTES = 32;
const LIFE_MS = {
  'reset-password': RESET_LINK_MINUTES * MINUTE_MS,
  'confirm-email': CONFIRM_LINK_HOURS * HOUR_MS,
  'stop-email-change': STOP_LINK_DAYS * DAY_MS,
  'delete-account': DELETE_LINK_MINUTES * MINUTE_MS,
} as const;

export type MailedPurpose = MailedTokenDoc['purpose'];
type LinkValues = Extract<MailValues, { kind: MailedPurpose }>;

/** Makes a one-time token for the reader of this address. */
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

/** Makes a one-time token and mails its link, in one transaction. The kind of the mail is the purpose of the link. */
export async function mailLink(
  session: ClientSession,
  ctx: ServiceContext,
  { accountId, to, values }: { accountId: string; to: string; values: LinkValues },
): Promise<void> {
  const token = await makeToken(session, ctx, { accountId, purpose: values.kind, email: to });
  await queueMail(session, ctx.providers, { accountId, to, values, token });
}

/** Returns whether the token is still valid; this does not use it up. */
export async function isOpenToken(ctx: ServiceContext, purpose: MailedPurpose, secret: string): Promise<boolean> {
  const open = await MailedTokenModel.exists(openToken(ctx, purpose, secret)).setOptions({ acrossAccounts: 'sign-in' });
  return open !== null;
}

/**
 * Uses up a token, and every other open one of the same purpose: of two simultaneous uses one succeeds. A link that
 * stops a change ends only later ones: an earlier one restores an earlier address, and the person who uses this one
 * may be the one whom that one is to stop. Throws `token_invalid`.
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
 * Returns whether an address is reserved for an account that may get it back with a link that stops a change. Check it
 * after the accounts themselves: if it is given back meanwhile, that account has it, and the index decides.
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
 * Returns the address whose reader decides whether the account ends: the first that it may still get back, or its own
 * once that is confirmed; null when no address is known to have a reader.
 */
export async function decidingAddress(
  ctx: ServiceContext,
  { _id: accountId, email, emailConfirmedAt }: Pick<UserDoc, '_id' | 'email' | 'emailConfirmedAt'>,
): Promise<string | null> {
  const stopping = { accountId, purpose: 'stop-email-change' as const, usedAt: null, expiresAt: { $gt: ctx.now() } };
  // There are only a few: as many as changes may be requested in these days.
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

/** Returns the error for a link that is used, expired, or was never made: callers cannot tell the three apart. */
export function tokenInvalid(purpose: MailedPurpose): AppError {
  return new AppError('token_invalid', 'This link was already used, has expired, or was replaced by a newer one.', {
    hint: `Each link works once, within ${LIFE_WORDS[purpose]}. Ask for a new one.`,
  });
}
