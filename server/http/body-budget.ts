import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcedBytes } from '../../routers/announced-bytes.ts';
import { isLoopback } from '../../routers/rules/loopback.ts';
import type { Providers } from '../context.ts';
import { clientAddress } from '../lib/client-address.ts';
import { AppError } from '../lib/errors.ts';
import { networksOf } from '../lib/networks.ts';
import type { Refund } from '../lib/rate-counters.ts';

const RETRY_AFTER_MS = 2_000;

export type Budgeted = Pick<Providers, 'addresses' | 'limits' | 'rateCounters'>;

/**
 * Reserves memory for a body that is read whole, before reading starts and until its call is answered. Throws as
 * `holdBytes` does, and `client_closed` when the sender has gone meanwhile.
 */
export async function holdBody(providers: Budgeted, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = announcedBytes(request);
  if (bytes === 0) return;
  const giveBack = await holdBytes(providers, clientAddress(request, providers.addresses.trustedProxies ?? 0), bytes);
  response.once('close', giveBack);
  if (!response.closed) return;
  giveBack();
  throw new AppError('client_closed', 'The caller ended the call.');
}

/**
 * Reserves memory for data from this address, until the returned function is called. Each body and message has a
 * limit, and so have all connections together. An address has a share, and so have its networks; a sender that already
 * holds memory gets more only while half of all is free, so that a few cannot keep everybody else out. Throws
 * `overloaded`.
 */
export async function holdBytes(
  { limits, rateCounters }: Budgeted,
  address: string,
  bytes: number,
): Promise<() => void> {
  const { perAddress, perProcess } = limits.bodyBytes;
  const share = limits.isAddressCounted || !isLoopback(address) ? perAddress : perProcess;
  const held: Refund[] = [];
  const giveBack = (): void => {
    for (const refund of held) refund(bytes);
  };
  let isFirst = false;
  for (const { key, times } of networksOf(address)) {
    const first = await rateCounters.hold(`bodies from ${key}`, bytes, bytes);
    const own = first ?? (await rateCounters.hold(`bodies from ${key}`, bytes, share * times));
    if (own === null) break;
    held.push(own);
    // The widest network, which may be one customer's, decides.
    isFirst = first !== null;
  }
  const room = isFirst ? perProcess : perProcess / 2;
  const isWhole = held.length === networksOf(address).length;
  const all = isWhole ? await rateCounters.hold(`bodies in process ${process.pid}`, bytes, room) : null;
  if (all === null) {
    giveBack();
    throw overloaded();
  }
  held.push(all);
  return giveBack;
}

function overloaded(): AppError {
  return new AppError('overloaded', 'Too much is being sent right now. Try again in a few seconds.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
