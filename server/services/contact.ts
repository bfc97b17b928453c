import type { Contact, SendContactInput } from '../../routers/schemas/contact.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { ServiceContext } from '../context.ts';
import { NO_ACCOUNT } from '../database/models/account-scope.ts';
import { ContactMessageModel } from '../database/models/contact-message.ts';
import { newId, transaction } from '../database/mongo.ts';
import { HOUR_MS } from '../lib/durations.ts';
import { queueMail } from './mail.ts';
import { countAgainst, countCaller } from './rate-limit.ts';

/** Returns where people can write to without the form, and whether mail to them is sent at all. */
export function getContact(ctx: ServiceContext): Contact {
  const { addresses, mailer } = ctx.providers;
  return { supportEmail: addresses.supportEmail, keepsMail: mailer.keepsMail };
}

/**
 * Stores a message of the contact form and mails it to the operator in the same transaction. Nothing is sent to the
 * address that was typed: it would be a mail cannon. Limited by account, else by address, and
 * for all together. Throws `rate_limited`, and `unauthenticated` for a token that is over.
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

/** The oldest give way: the operator has had them by mail. */
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

/** Of all senders together, so that nobody's many addresses fill the operator's mailbox; strangers take no room of accounts. */
async function countMail({ providers }: ServiceContext, accountId: string | null): Promise<void> {
  const { addresses, limits } = providers;
  const key = `${accountId === null ? 'strangers' : 'accounts'} ${addresses.operatorEmail}`;
  const rule = `Very many messages came within an hour. You can write to ${addresses.supportEmail}.`;
  await countAgainst({ name: 'contact-recipient', key, limit: limits.contactMailsPerHour, windowMs: HOUR_MS, rule });
}
