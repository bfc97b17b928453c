import type { ClientSession } from 'mongoose';
import { mailOwner } from '../account/mail/queue-mail.ts';
import type { Providers } from '../context.ts';
import { DomainModel, type DomainRow } from '../database/models/domains/domain.ts';
import { publishEvent } from '../events/publish.ts';
import { HOUR_MS } from '../lib/durations.ts';

const TITLES = {
  'domain-misconfigured': 'Domain needs attention',
  'domain-problem': 'Domain needs attention',
  'domain-lost': 'Domain lost',
} as const;
/** The interval for one kind and domain: records that come and go are not news each time. */
const MAIL_EVERY_MS = HOUR_MS;

/**
 * Notifies the owner that a name no longer points to them, or will not for long: on the screen, and once an hour by
 * mail to a confirmed address, in the transaction that records it.
 */
export async function notifyOwner(
  session: ClientSession,
  providers: Providers,
  { _id, accountId, deploymentId, name }: Pick<DomainRow, '_id' | 'accountId' | 'deploymentId' | 'name'>,
  { kind, message }: { kind: keyof typeof TITLES; message: string },
): Promise<void> {
  const event = { title: TITLES[kind], message, variant: 'destructive', deploymentId } as const;
  await publishEvent(session, accountId, { type: 'notification', ...event });
  const now = providers.now();
  const isDue = { [`mailedAt.${kind}`]: { $not: { $gt: new Date(now.getTime() - MAIL_EVERY_MS) } } };
  const $set = { [`mailedAt.${kind}`]: now };
  const { matchedCount } = await DomainModel.updateOne({ _id, accountId, ...isDue }, { $set }, { session });
  if (matchedCount === 0) return;
  await mailOwner(session, providers, accountId, { kind, name, message, page: `/domains/${_id}` });
}
