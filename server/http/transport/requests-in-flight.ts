import { addressOf } from '../../lib/client-address.ts';
import { AppError } from '../../lib/errors.ts';
import { type ConnectionCounts, PER_ADDRESS } from './connections.ts';
import type { WebRequest } from './http2.ts';
import type { WebResponse } from './http2-response.ts';

const RETRY_AFTER_MS = 2_000;

/** Takes a slot for a request until its answer was taken or aborted. Throws `overloaded` when there is none. */
export type TakeSlot = (request: WebRequest, response: Pick<WebResponse, 'once'>) => void;

/**
 * Limits how many requests of one client are answered at once behind proxies. A connection there is the proxy's, which
 * sends the requests of many clients over it. The client is the address that the proxies name (TRUST_PROXY), and has
 * as many requests as it could have connections without a proxy. This process counts alone, so that a request whose
 * file is in memory need not wait.
 */
export function createInFlightLimit(counts: Pick<ConnectionCounts, 'addresses'>): TakeSlot {
  const inFlight = new Map<string, number>();
  return ({ socket, headers }, response) => {
    const { trustedProxies = 0 } = counts.addresses;
    if (trustedProxies === 0) return;
    const { 'x-forwarded-for': forwarded } = headers;
    const address = addressOf(socket.remoteAddress ?? 'unknown', forwarded && String(forwarded), trustedProxies);
    const count = inFlight.get(address) ?? 0;
    if (count >= PER_ADDRESS) {
      throw new AppError('overloaded', 'Too many requests from your network are being answered right now.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    inFlight.set(address, count + 1);
    response.once('close', () => {
      const left = (inFlight.get(address) ?? 0) - 1;
      if (left > 0) inFlight.set(address, left);
      else inFlight.delete(address);
    });
  };
}
