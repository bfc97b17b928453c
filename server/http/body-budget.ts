import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress } from '../../routers/client-address.ts';
import { JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import { AppError } from '../errors.ts';
import { isLoopback } from '../loopback.ts';
import type { Providers } from '../service-context.ts';

const RETRY_AFTER_MS = 2_000;

export type Budgeted = Pick<Providers, 'addresses' | 'limits' | 'rateCounters'>;

/**
 * Holds room in memory for a body that is read whole, before anything of it is read and until its call is answered. Throws
 * as `holdBytes` does, and `client_closed` when the sender has gone meanwhile.
 */
export async function holdBody(providers: Budgeted, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = announcedBytes(request);
  if (bytes === 0) return;
  const giveBack = await holdBytes(providers, clientAddress(request, providers.addresses.trustedProxies ?? 0), bytes);
  response.once('close', giveBack);
  if (!response.closed) return;
  giveBack();
  throw new AppError('client_closed', 'The call was ended by its sender.');
}

/**
 * Holds room in memory for what a client at this address sends, until what is returned is called: each body and message
 * has a limit, and so has what all connections together may bring. An address has a share, and one that holds something
 * gets more only while half of all is free, so that a few of them cannot keep all others out. Throws `overloaded`.
 */
export async function holdBytes(
  { limits, rateCounters }: Budgeted,
  address: string,
  bytes: number,
): Promise<() => void> {
  const { perAddress, perProcess } = limits.bodyBytes;
  const share = limits.isAddressCounted || !isLoopback(address) ? perAddress : perProcess;
  const key = `bodies from ${address}`;
  const first = await rateCounters.hold(key, bytes, bytes);
  const own = first ?? (await rateCounters.hold(key, bytes, share));
  if (own === null) throw overloaded();
  const all = await rateCounters.hold(
    `bodies in process ${process.pid}`,
    bytes,
    first === null ? perProcess / 2 : perProcess,
  );
  if (all === null) {
    own(bytes);
    throw overloaded();
  }
  return () => {
    own(bytes);
    all(bytes);
  };
}

/** What is packed, or comes in pieces, may be as long as any. One that says it is longer is refused before it is read. */
function announcedBytes({ headers }: IncomingMessage): number {
  const isUnknown = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
  const announced = isUnknown ? JSON_BODY_MAX_BYTES : Number(headers['content-length'] ?? 0);
  return Math.min(announced, JSON_BODY_MAX_BYTES);
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too much is being sent at this moment. Try again in a few seconds.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
