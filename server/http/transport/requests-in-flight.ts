import { addressOf } from '../../../routers/client-address.ts';
import { AppError } from '../../lib/errors.ts';
import { type ConnectionCounts, PER_ADDRESS } from './connections.ts';
import type { WebRequest } from './http2.ts';
import type { WebResponse } from './http2-response.ts';

const RETRY_AFTER_MS = 2_000;

/** Takes a place for a request until its answer has been taken or given up. Throws `overloaded` when there is none. */
export type TakePlace = (request: WebRequest, response: Pick<WebResponse, 'once'>) => void;

/**
 * Returns what limits how many requests of one client are answered at once behind proxies. There a connection says nothing:
 * it is the proxy's, which sends the requests of many clients over it. The client is the address that the proxies name
 * (TRUST_PROXY), and has as many requests as it could have connections without a proxy. Counted in this process, since
 * a request that finds its file in memory waits for nobody.
 */
export function createInFlightLimit(counts: Pick<ConnectionCounts, 'addresses'>): TakePlace {
  const inFlight = new Map<string, number>();
  return ({ socket, headers }, response) => {
    const { trustedProxies = 0 } = counts.addresses;
    if (trustedProxies === 0) return;
    const { 'x-forwarded-for': forwarded } = headers;
    const address = addressOf(socket.remoteAddress ?? 'unknown', forwarded && String(forwarded), trustedProxies);
    const count = inFlight.get(address) ?? 0;
    if (count >= PER_ADDRESS) {
      throw new AppError('overloaded', 'Too many requests from your network are being answered at this moment.', {
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
