import type { RegisterInput, SignedIn } from '../../routers/schemas/auth.ts';
import { rememberDevice } from '../../server/account/auth/device-cookie.ts';
import { openSession } from '../../server/account/auth/open-session.ts';
import { emailKey, usernameKey } from '../../server/account/name-keys.ts';
import type { ServiceContext } from '../../server/context.ts';
import { toUser, UserModel } from '../../server/database/models/account/user.ts';
import { SubscriptionModel } from '../../server/database/models/plans/subscription.ts';
import { newId } from '../../server/database/mongo.ts';
import { DAY_MS } from '../../server/lib/durations.ts';

/**
 * Stores an account as registering leaves it, signed in on this browser, but for the mail: registering asks the database
 * fourteen times, and the mail's job as often again, where most tests only need somebody.
 */
export async function storePerson(
  ctx: ServiceContext,
  { username, email, password }: RegisterInput,
): Promise<SignedIn> {
  const _id = newId();
  const names = { username, usernameKey: usernameKey(username), email, emailKey: emailKey(email) };
  const user = await UserModel.create({ _id, ...names, passwordHash: await ctx.providers.hasher.hash(password) });
  const { access, refreshToken } = await openSession(ctx, _id);
  ctx.jar.write('refresh', refreshToken);
  rememberDevice(ctx, _id);
  return { ...toUser(user, ctx.now()), ...access };
}

/** Stores the trial of PRO as its start leaves it, but for the event. */
export async function storeTrial(accountId: string, now: Date): Promise<void> {
  const endsAt = new Date(now.getTime() + 14 * DAY_MS);
  const trial = { plan: 'PRO', status: 'trialing', source: 'trial' } as const;
  await SubscriptionModel.create({ _id: newId(), accountId, ...trial, startedAt: now, endsAt, trialStartedAt: now });
}
