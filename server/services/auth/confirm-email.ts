import type { ChangeEmailInput, ConfirmEmailInput } from '../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../routers/schemas/primitives.ts';
import { HOUR_MS } from '../../durations.ts';
import { AppError, notFound } from '../../errors.ts';
import { UserModel } from '../../models/user.ts';
import { isDuplicateKey, transaction } from '../../mongo.ts';
import type { ServiceContext } from '../../service-context.ts';
import { queueMail } from '../mail.ts';
import { countAgainst } from '../rate-limit.ts';
import { checkPassword, currentPasswordWrong } from './check-password.ts';
import { closeTokens, mailConfirmation, redeemToken } from './mailed-token.ts';
import { emailKey } from './names.ts';
import { emailTaken } from './register.ts';
import type { SessionContext } from './sessions.ts';
import { signedInUser } from './signed-in-user.ts';

/**
 * Mails another link to the address that waits for its confirmation; nothing where none does. As often an hour as links
 * for a new password. Throws `rate_limited`.
 */
export async function sendConfirmation(ctx: SessionContext): Promise<Done> {
  const user = await signedInUser(ctx);
  const email = user.pendingEmail ?? (user.emailConfirmedAt instanceof Date ? null : user.email);
  if (email === null) return DONE;
  await limitConfirmations(ctx);
  await transaction((session) => mailConfirmation(session, ctx, user, email));
  return DONE;
}

/**
 * Confirms the address that the link was mailed to: the account's own, or the new one that waits, which then takes the
 * old one's place and the old one is told. Throws `token_invalid`, `email_taken`.
 */
export async function confirmEmail(ctx: ServiceContext, input: ConfirmEmailInput): Promise<Done> {
  await transaction(async (session) => {
    const { accountId, email } = await redeemToken(session, ctx, 'confirm-email', input.token);
    const user = await UserModel.findOne({ _id: accountId }).session(session);
    if (user === null) throw notFound('account');
    const former = user.email;
    user.set({ email, emailKey: emailKey(email), emailConfirmedAt: ctx.now(), pendingEmail: null });
    await user.save({ session });
    if (emailKey(former) === emailKey(email)) return;
    // A link for a new password that lies in the old mailbox is the old owner's no more.
    await closeTokens(session, ctx, accountId, 'reset-password');
    const words = { kind: 'email-changed', username: user.username, newEmail: email } as const;
    await queueMail(session, ctx.providers, { accountId, to: former, words });
  }).catch((error: unknown) => {
    throw isDuplicateKey(error, 'emailKey') ? emailTaken() : error;
  });
  return DONE;
}

/**
 * Asks for another address; the old one stays until the new one is confirmed (product page, section 11, E-mail). Links to
 * an address that was asked for before become useless.
 * Throws `validation_failed` on `currentPassword` or `email`, `email_taken`, `rate_limited`, `overloaded`.
 */
export async function changeEmail(ctx: SessionContext, input: ChangeEmailInput): Promise<Done> {
  const { accountId, sessionId } = ctx.actor;
  const user = await signedInUser(ctx);
  const { matches } = await checkPassword(ctx, {
    nameKey: user.usernameKey,
    password: input.currentPassword,
    passwordHash: user.passwordHash,
    knownBy: sessionId,
  });
  if (!matches) throw currentPasswordWrong();
  if (user.email === input.email) {
    const message = 'This is already your address';
    throw new AppError('validation_failed', message, { field: 'email', fieldErrors: { email: message } });
  }
  const key = emailKey(input.email);
  if ((await UserModel.exists({ emailKey: key, _id: { $ne: accountId } })) !== null) throw emailTaken();
  await limitConfirmations(ctx);
  await transaction(async (session) => {
    await UserModel.updateOne({ _id: accountId }, { $set: { pendingEmail: input.email } }, { session });
    await closeTokens(session, ctx, accountId, 'confirm-email');
    await mailConfirmation(session, ctx, user, input.email);
  });
  return DONE;
}

async function limitConfirmations(ctx: SessionContext): Promise<void> {
  await countAgainst({
    name: 'confirm-email',
    key: ctx.actor.accountId,
    limit: ctx.providers.limits.forgotPasswordPerHour.perAccount,
    windowMs: HOUR_MS,
  });
}
