import type { ClientSession } from 'mongoose';
import type { ForgotPasswordInput } from '../../../../routers/schemas/auth.ts';
import { DONE, type Done } from '../../../../routers/schemas/primitives.ts';
import type { AccountContext, ServiceContext } from '../../../context.ts';
import { UserModel } from '../../../database/models/account/user.ts';
import { NO_ACCOUNT } from '../../../database/models/account-scope.ts';
import { transaction } from '../../../database/mongo.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import { enqueueJob } from '../../../queue/queue.ts';
import { emailKey } from '../../name-keys.ts';
import { countsByAddress, isWithin } from '../../rate-limit.ts';
import { mailLink } from '../mailed-token.ts';

/**
 * Requests a link that sets a new password. The answer is the same whether or not the account exists, and so is the
 * work: a job does it. Too many calls from one address get the same answer and do nothing.
 */
export async function forgotPassword(ctx: ServiceContext, input: ForgotPasswordInput): Promise<Done> {
  const { perAddress: limit } = ctx.providers.limits.forgotPasswordPerHour;
  const byAddress = { name: 'forgot-password-address', limit, windowMs: HOUR_MS };
  for (const count of countsByAddress(ctx, byAddress)) if (!(await isWithin(count))) return DONE;
  // The job runs without an account, because it alone finds out whose address it is.
  await transaction((session) =>
    enqueueJob(session, { name: 'forgot-password', payload: { email: input.email }, accountId: NO_ACCOUNT }),
  );
  return DONE;
}

/**
 * Runs as the job: finds the account of the address, and mails it a link unless it had enough of them within the hour.
 */
export async function mailResetLink(
  ctx: AccountContext,
  email: string,
  inTransaction: <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>,
): Promise<void> {
  const user = await UserModel.findOne({ emailKey: emailKey(email) });
  if (user === null) return;
  const { _id: accountId, email: to, username } = user;
  const { perAccount: limit } = ctx.providers.limits.forgotPasswordPerHour;
  const isWelcome = await isWithin({ name: 'forgot-password-account', key: accountId, limit, windowMs: HOUR_MS });
  if (!isWelcome) return;
  await inTransaction((session) =>
    mailLink(session, ctx, { accountId, to, values: { kind: 'reset-password', username } }),
  );
}
