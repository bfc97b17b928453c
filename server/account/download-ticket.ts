import type { AccountContext, ServiceContext } from '../context.ts';
import { UserModel } from '../database/models/account/user.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { type Credential, credentialOf, isCredentialValid } from './auth/credential-validity.ts';

/** A ticket lasts from the click to the first byte; a download that has begun goes on. */
const TICKET_MS = 60_000;

/** A download that is streamed to the holder of its ticket. */
export type Download = {
  fileName: string;
  /** The name in ASCII, for clients that do not read RFC 5987. */
  plainName: string;
  /** Null when the size is not known before it is written. */
  sizeBytes: number | null;
  /** A ZIP when absent. */
  contentType?: string;
  /** Streams the body, which is read on demand; throws the reason of the signal. */
  body(signal: AbortSignal): AsyncIterable<Buffer>;
};

/** The purpose of a ticket; `what` is the word for a person. */
export type TicketPurpose = { context: string; what: string };

/**
 * Makes a ticket: it seals the right to one download into a link, which needs no header, so that a browser streams it
 * to disk. It works for a minute, for this purpose alone, while the session or API token that made it is valid.
 */
export function makeTicket(ctx: AccountContext, { context }: TicketPurpose): { ticket: string; expiresAt: Date } {
  const credential = credentialOf(ctx.actor);
  if (credential === null) throw new Error('A job makes no link for a browser.');
  const expiresAt = new Date(ctx.now().getTime() + TICKET_MS);
  const ticket = ctx.providers.secrets.seal(
    [ctx.actor.accountId, expiresAt.getTime(), credential.collection, credential.id].join(' '),
    context,
  );
  return { ticket, expiresAt };
}

/**
 * Returns the account of a ticket while it exists: its websites outlast it for some time. Throws `not_found` for a
 * ticket that has expired, has another purpose or other keys, or is invented, and once its maker is signed out or
 * revoked.
 */
export async function redeemTicket(ctx: ServiceContext, purpose: TicketPurpose, ticket: string): Promise<string> {
  const [accountId = '', endsAt = '', collection, id = ''] = opened(ctx, purpose, ticket).split(' ');
  if (Number(endsAt) <= ctx.now().getTime()) {
    throw new AppError('not_found', 'This download link has expired.', { hint: 'Start the download again.' });
  }
  if ((await UserModel.exists({ _id: accountId, deletedAt: null })) === null) throw notFound(purpose.what);
  const credential: Credential = { collection: collection === 'api_tokens' ? 'api_tokens' : 'sessions', id };
  if (!(await isCredentialValid(credential, accountId, ctx.now()))) throw notFound(purpose.what);
  return accountId;
}

function opened({ providers }: ServiceContext, { context, what }: TicketPurpose, ticket: string): string {
  try {
    return providers.secrets.open(ticket, context);
  } catch {
    throw notFound(what);
  }
}
