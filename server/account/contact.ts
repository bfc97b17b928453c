import { isPlaceholder } from '../../routers/rules/support-address.ts';
import type { Contact, SendContactInput } from '../../routers/schemas/contact.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../context.ts';
import { ContactMessageModel } from '../database/models/account/contact-message.ts';
import { NO_ACCOUNT } from '../database/models/account-scope.ts';
import { newId, transaction } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { queueMail } from './mail/queue-mail.ts';
import { countAgainst, countCaller } from './rate-limit.ts';

/** Returns the address where people can write without the form, and whether mail to them is sent at all. */
export function getContact(ctx: ServiceContext): Contact {
  const { addresses, mailer } = ctx.providers;
  return { supportEmail: addresses.supportEmail, keepsMail: mailer.keepsMail };
}

/**
 * Stores a message of the contact form and mails it to the operator in the same transaction. Nothing is sent to the
 * entered address: it would be a mail cannon. It is limited by account, else by address, and for all together. Throws
 * `rate_limited`, and `unauthenticated` for an expired token.
 */
export async function sendContact(ctx: ServiceContext, input: SendContactInput): Promise<Done> {
  const { providers } = ctx;
  const accountId = await countCaller(ctx, { name: 'contact', limit: providers.limits.contactPerHour });
  await countMail(ctx, accountId);
  await makeRoom(ctx, accountId);
  await transaction(async (session) => {
    await ContactMessageModel.create([{ _id: newId(), accountId, ...input, at: ctx.now() }], { session });
    await queueMail(session, providers, {
      accountId: NO_ACCOUNT,
      to: providers.addresses.operatorEmail,
      values: { kind: 'contact', ...input },
    });
  });
  return DONE;
}

/** The oldest give way: the operator has received them by mail. */
async function makeRoom({ providers }: ServiceContext, accountId: string | null): Promise<void> {
  const { perAccount, ofStrangers } = providers.limits.contactRows;
  const [first] = await ContactMessageModel.find({ accountId }, { at: 1 })
    .sort({ at: -1 })
    .hint('account_newest')
    .skip((accountId === null ? ofStrangers : perAccount) - 1)
    .limit(1)
    .lean();
  if (first !== undefined) await ContactMessageModel.deleteMany({ accountId, at: { $lte: first.at } });
}

/**
 * Counts all senders together, so that many addresses of one cannot fill the operator's mailbox; strangers take no
 * room from accounts.
 */
async function countMail({ providers }: ServiceContext, accountId: string | null): Promise<void> {
  const { addresses, limits } = providers;
  const key = `${accountId === null ? 'strangers' : 'accounts'} ${addresses.operatorEmail}`;
  const { supportEmail } = addresses;
  const otherWay = isPlaceholder(supportEmail) ? '' : ` You can write to ${supportEmail}.`;
  const rule = `Too many messages came within an hour.${otherWay}`;
  await countAgainst({ name: 'contact-recipient', key, limit: limits.contactMailsPerHour, windowMs: HOUR_MS, rule });
}
