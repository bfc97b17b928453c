import type { ClientSession } from 'mongoose';
import type { AccountContext, Providers } from '../../context.ts';
import { type MailDoc, MailModel } from '../../database/models/account/mail.ts';
import { type UserDoc, UserModel } from '../../database/models/account/user.ts';
import { newId } from '../../database/mongo.ts';
import { HOUR_MS } from '../../lib/durations.ts';
import { MAILED_LINK_PATHS } from '../../lib/mailed-links.ts';
import { enqueueJob } from '../../queue/queue.ts';
import { recipientKey } from '../name-keys.ts';
import { type Count, isWithin } from '../rate-limit.ts';
import { type MailContent, type MailValues, mailValuesSchema, renderMail } from './templates.ts';

/** A mail to queue: its values, and the secret of its link, which is filled in when it is sent. */
export type NewMail = {
  accountId: string;
  to: string;
  values: MailValues;
  token?: { secret: string; expiresAt: Date };
  /** True for news about an address that nobody has confirmed: its reader gets only a few of those. */
  isUnasked?: boolean;
};

/** The job's transaction: a run that has lost its lease cannot write. */
type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/** A mail server may be away for hours: with the queue's backoff eight attempts span about three. */
const MAX_ATTEMPTS = 8;

/**
 * Queues a mail inside the caller's transaction: no mail without the change it reports. The link's secret is sealed,
 * so that a dump of the database cannot be used.
 */
export async function queueMail(session: ClientSession, providers: Providers, mail: NewMail): Promise<void> {
  const id = newId();
  const { accountId, to, values, token, isUnasked = false } = mail;
  await MailModel.create(
    [
      {
        _id: id,
        accountId,
        kind: values.kind,
        to,
        values,
        sealedToken: token === undefined ? null : providers.secrets.seal(token.secret, sealContext(id, accountId)),
        usefulUntil: token?.expiresAt ?? null,
        isUnasked,
      },
    ],
    { session },
  );
  await enqueueJob(session, { name: 'send-mail', payload: { mailId: id }, accountId, maxAttempts: MAX_ATTEMPTS });
}

/** Counts mails to a mailbox whose reader may not have asked for them. */
export function mailsTo({ limits }: Providers, kind: 'confirm-email' | 'notice', email: string): Count {
  const limit = limits.confirmationsPerRecipientPerHour;
  return { name: `${kind}-recipient`, key: recipientKey(email), limit, windowMs: HOUR_MS };
}

/**
 * Queues news for the reader of an account's address. An unconfirmed address may be somebody else's, who must not get
 * news again and again.
 */
export async function mailNotice(
  session: ClientSession,
  providers: Providers,
  user: Pick<UserDoc, '_id' | 'email' | 'emailConfirmedAt'>,
  values: MailValues,
): Promise<void> {
  const { _id: accountId, email: to, emailConfirmedAt } = user;
  await queueMail(session, providers, { accountId, to, values, isUnasked: !(emailConfirmedAt instanceof Date) });
}

type OwnerMail = Extract<MailValues, { page: string; name: string }>;
/** Removes the field from each kind by itself, since some have fields that others lack. */
type WithoutReader<Mail> = Mail extends unknown ? Omit<Mail, 'username'> : never;

/** Queues a mail to the owner of an account, at a confirmed address alone: any other may be somebody else's. */
export async function mailOwner(
  session: ClientSession,
  providers: Providers,
  accountId: string,
  news: WithoutReader<OwnerMail>,
): Promise<void> {
  const user = await UserModel.findOne({ _id: accountId, deletedAt: null }).session(session);
  if (user === null || !(user.emailConfirmedAt instanceof Date)) return;
  const values = { ...news, username: user.username };
  await queueMail(session, providers, { accountId, to: user.email, values });
}

/**
 * Sends a queued mail and forgets its secret. Called again after a crash it sends once more under the same id, or
 * finds it sent. A mail is dropped when its link has expired meanwhile, or its reader has had too many without asking.
 */
export async function deliverMail(ctx: AccountContext, mailId: string, inTransaction: InTransaction): Promise<void> {
  const { accountId } = ctx.actor;
  const doc = await MailModel.findOne({ _id: mailId, accountId });
  if (doc === null || doc.sentAt instanceof Date) return;
  const isUseful = !(doc.usefulUntil instanceof Date) || doc.usefulUntil > ctx.now();
  if (isUseful && (!doc.isUnasked || (await isWithin(mailsTo(ctx.providers, 'notice', doc.to))))) {
    const text = renderMail(contentOf(doc, ctx.providers), ctx.providers.addresses);
    await ctx.providers.mailer.deliver({ id: doc._id, kind: doc.kind, to: doc.to, ...text, at: doc.createdAt });
  }
  await inTransaction((session) =>
    MailModel.updateOne({ _id: mailId, accountId }, { $set: { sentAt: ctx.now(), sealedToken: null } }, { session }),
  );
}

function contentOf(doc: MailDoc, providers: Providers): MailContent {
  const values = mailValuesSchema.parse(doc.values);
  if (!hasLink(values)) return values;
  const token = providers.secrets.open(doc.sealedToken ?? '', sealContext(doc._id, doc.accountId));
  return { ...values, link: `${providers.addresses.publicUrl}${MAILED_LINK_PATHS[values.kind]}#token=${token}` };
}

function hasLink(values: MailValues): values is Extract<MailValues, { kind: keyof typeof MAILED_LINK_PATHS }> {
  return Object.hasOwn(MAILED_LINK_PATHS, values.kind);
}

function sealContext(id: string, accountId: string): string {
  return `mails:${id}:sealedToken:${accountId}`;
}
