import type { ClientSession } from 'mongoose';
import { queueMail } from '../../account/mail/queue-mail.ts';
import type { Providers } from '../../context.ts';
import { UserModel } from '../../database/models/account/user.ts';
import type { ReleaseDoc } from '../../database/models/publishing/release.ts';

/**
 * Mails the outcome of a release, in the transaction that ends it: to people who want it, and to a confirmed address
 * alone, since any other may be somebody else's.
 */
export async function mailOutcome(
  session: ClientSession,
  providers: Providers,
  { accountId, deploymentId, number }: Pick<ReleaseDoc, 'accountId' | 'deploymentId' | 'number'>,
  { kind, message }: { kind: 'release-live' | 'release-failed'; message: string },
): Promise<void> {
  const user = await UserModel.findOne({ _id: accountId }).session(session);
  if (user === null || !(user.emailConfirmedAt instanceof Date)) return;
  const { releaseLive, releaseFailed } = user.notifications;
  const isWanted = kind === 'release-live' ? releaseLive : releaseFailed;
  if (!isWanted) return;
  const page = `/deployments/${deploymentId}/releases/${number}`;
  const values = { kind, username: user.username, message, page };
  await queueMail(session, providers, { accountId, to: user.email, values });
}
