import type { EgressRules } from './rules.ts';

export { EgressError, type EgressFault } from './error.ts';

/**
 * The way out to every address that somebody else chose: a platform's API, a published site, a diagnosed name. Whoever
 * names such an address could name a machine of this network instead. So a name is resolved, each of its addresses is
 * checked, and the socket connects to those very addresses: a second answer of the name server is never asked for. An
 * address that is written out is checked before the socket, since no resolver is asked about it.
 *
 * Public addresses are reached at the ports of the web; what `allow` names (EGRESS_ALLOW) at any port. Redirects are
 * followed by hand and checked like the first address. An answer is not decoded, since its size is known only as sent.
 */
export type Egress = {
  /** Sends one request and gives its answer to `read`; what `read` leaves of the body is dropped. Throws `EgressError`. */
  request<T>(url: string, request: EgressRequest, read: (answer: EgressAnswer) => Promise<T>): Promise<T>;
};

export type EgressRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Asked for again at each redirect, so that what is meant for one origin does not follow to another. */
  headers?(url: URL): Record<string, string>;
  body?: EgressBody | undefined;
  signal: AbortSignal;
  /** The answer is cut off with an error above this. */
  maxBytes: number;
  /** Redirects to follow; a request with a body follows none. */
  redirects?: number;
  /** How long nothing may move in either direction; a slow peer that moves is waited for. */
  silenceMs?: number;
  /** How long the exchange may take as a whole: a peer that sends a byte now and then is not waited for without end. */
  wholeMs: number;
  /** Our own listener, for names that are ours: connected to without a check, whatever the name resolves to. */
  listener?: OwnListener | undefined;
  /** Asks for a connection that nobody used before. */
  isFresh?: boolean;
  /** With `isFresh`: told until when the trusted certificate is valid that each of its connections was opened with. */
  onCertificate?: (notAfter: Date) => void;
};

/** Its protocol takes the place of the address's own: people may come by a proxy that speaks another one. */
export type OwnListener = { protocol: 'http:' | 'https:'; host: string; port: number };

/** A stream is begun only when the peer takes it. */
export type EgressBody = Uint8Array | { sizeBytes: number; chunks: AsyncIterable<Uint8Array> };

export type EgressAnswer = {
  status: number;
  headers: Headers;
  /** The address after redirects. */
  url: URL;
  body: AsyncIterable<Uint8Array>;
};

/**
 * Opens the way out under these rules. Its library is a tenth of what a start computes, so that it comes with the first
 * request, or once the app answers (server/boot/serving.ts).
 */
export function createEgress(rules: EgressRules = {}): Egress {
  let opened: Promise<Egress> | undefined;
  return {
    async request(url, request, read) {
      opened ??= import('./client.ts').then(({ openEgress }) => openEgress(rules));
      return (await opened).request(url, request, read);
    },
  };
}
