import { loadOnce } from '../load-once.ts';
import type { EgressRules } from './rules.ts';

export { EgressError, type EgressFault } from './error.ts';

/**
 * Sends requests to addresses that somebody else chose: a platform's API, a published site, a diagnosed name. Such an
 * address could name a machine of this network. So a name is resolved, each of its addresses is checked, and the
 * socket connects to exactly those addresses, without a second query. A literal address is checked before the socket
 * opens, because no resolver sees it.
 *
 * Public addresses are reached at the ports of the web, and those in `allow` (EGRESS_ALLOW) at any port. Redirects are
 * followed by hand, with the same checks. An answer is not decoded, because only its size as sent is known.
 */
export type Egress = {
  /** Sends one request and passes the answer to `read`; the rest of the body is dropped. Throws `EgressError`. */
  request<T>(url: string, request: EgressRequest, read: (answer: EgressAnswer) => Promise<T>): Promise<T>;
};

export type EgressRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Called again at each redirect, so that a header for one origin does not follow to another. */
  headers?(url: URL): Record<string, string>;
  body?: EgressBody | undefined;
  signal: AbortSignal;
  /** A longer answer is cut off with an error. */
  maxBytes: number;
  /** The number of redirects to follow; a request with a body follows none. */
  redirects?: number;
  /** Called with the address of each redirect before it is followed; what it throws ends the request there. */
  onRedirect?(url: URL): void;
  /** The longest time without a byte in either direction; a peer that is slow but moves is waited for. */
  silenceMs?: number;
  /** The longest time of the whole exchange, so that a peer which sends a byte now and then cannot hold it for ever. */
  wholeMs: number;
  /** Our own listener, for names that are ours: it is connected to without a check, whatever the name resolves to. */
  listener?: OwnListener | undefined;
  /** Forces a new connection. */
  isFresh?: boolean;
  /** With `isFresh`: receives the expiry of the trusted certificate of each connection that was opened. */
  onCertificate?: (notAfter: Date) => void;
};

/**
 * The listener's protocol replaces that of the address, because people may arrive through a proxy that uses another
 * one.
 */
export type OwnListener = { protocol: 'http:' | 'https:'; host: string; port: number };

/** A stream is only opened once the peer accepts it. */
export type EgressBody = Uint8Array | { sizeBytes: number; chunks: AsyncIterable<Uint8Array> };

export type EgressAnswer = {
  status: number;
  headers: Headers;
  /** The address after all redirects. */
  url: URL;
  body: AsyncIterable<Uint8Array>;
};

/**
 * Creates the way out with these rules. Its library is a tenth of a start's computing time, so it is loaded with the
 * first request, or once the app answers (server/boot/serving.ts).
 */
export function createEgress(rules: EgressRules = {}): Egress {
  const opened = loadOnce(async () => (await import('./client.ts')).openEgress(rules));
  return { request: async (url, request, read) => (await opened()).request(url, request, read) };
}
