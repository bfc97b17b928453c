import { createHash } from 'node:crypto';
import type { Providers } from '../context.ts';
import { type EgressAnswer, EgressError } from '../lib/egress/egress.ts';
import type { ServerAddress, Visit, VisitFault } from './checks/check.ts';

/** Larger pages are compared by the beginning alone: nobody waits for more. */
const PAGE_BYTES_MAX = 5 * 1024 * 1024;
const TEXT_BYTES_MAX = 128 * 1024;
const VISIT_MS = 10_000;
/** The limit of one report: each may follow ten redirects, and several checks share most of them. */
const VISITS_MAX = 60;

const TLS_ERROR = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|UNABLE_TO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/;
const CODES: Readonly<Record<string, VisitFault>> = {
  ...{ ECONNREFUSED: 'refused', ENETUNREACH: 'no_route', EADDRNOTAVAIL: 'no_route', EHOSTUNREACH: 'no_route' },
  ...{ ETIMEDOUT: 'silent', UND_ERR_CONNECT_TIMEOUT: 'silent' },
};

export type VisitOptions = {
  /** Returns the server to visit when none is given; null: the name has no address. */
  serverFor(host: string): Promise<ServerAddress | null>;
  /** The host name of our site without a domain, which is requested at the listener itself. */
  siteHost: string | null;
  signal: AbortSignal;
};

/**
 * Returns a function that visits addresses for one report: at the address from the name servers, with the name in the
 * request and in the handshake. Each visit is made once, however many checks ask for it; when the report has no time
 * or visits left, the rest is not judged.
 */
export function createVisits(providers: Providers, options: VisitOptions) {
  const made = new Map<string, Promise<Visit>>();
  return (url: string, server?: ServerAddress): Promise<Visit> => {
    const key = `${url} ${server?.address ?? ''}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size >= VISITS_MAX) return Promise.resolve(notMade('the report has made all its visits'));
    const visit = make(providers, options, new URL(url), server);
    made.set(key, visit);
    return visit;
  };
}

const notMade = (detail: string): Visit => ({ fault: 'not_allowed', detail, server: 'nobody' });

async function make(
  providers: Providers,
  { serverFor, siteHost, signal }: VisitOptions,
  url: URL,
  given: ServerAddress | undefined,
): Promise<Visit> {
  if (signal.aborted) return notMade('the report has no time left');
  const { addresses } = providers;
  if (url.hostname === siteHost) {
    return ask(providers, { url: url.href, listener: addresses.sitesListener, host: url.host, signal });
  }
  const server = given ?? (await serverFor(url.hostname).catch(() => undefined));
  if (server === undefined) return notMade('the name servers did not answer');
  if (server === null) return { fault: 'no_address', detail: 'the name has no address', server: url.hostname };
  const isTls = url.protocol === 'https:';
  const literal = server.address.includes(':') ? `[${server.address}]` : server.address;
  const port = isTls ? (addresses.sitesTlsPort ?? 443) : (addresses.sitesHttpPort ?? 80);
  // Redirects never reach other services that listen at our own address.
  if (server.isOwn && (url.port === '' || Number(url.port) === port)) {
    const protocol = isTls ? 'https:' : 'http:';
    const listener = { protocol, host: server.address, port } as const;
    return ask(providers, { url: url.href, listener, host: url.host, signal, at: server.address });
  }
  const there = `${url.protocol}//${literal}${url.port === '' ? '' : `:${url.port}`}${url.pathname}${url.search}`;
  return ask(providers, { url: there, host: url.host, signal, at: server.address });
}

type Asked = {
  url: string;
  host: string;
  listener?: Providers['addresses']['sitesListener'];
  signal: AbortSignal;
  at?: string;
};

async function ask({ egress }: Providers, { url, host, listener, signal, at }: Asked): Promise<Visit> {
  const begun = performance.now();
  const server = at === undefined ? host : `${host} (${at})`;
  const request = {
    headers: () => ({ host, accept: 'text/html, */*', 'user-agent': 'Fairlead' }),
    ...{ signal, maxBytes: PAGE_BYTES_MAX, wholeMs: VISIT_MS, silenceMs: VISIT_MS, redirects: 0, isFresh: true },
    listener,
  };
  try {
    return await egress.request(url, request, async (answer) => {
      const firstByteMs = performance.now() - begun;
      return {
        fault: null,
        status: answer.status,
        headers: answer.headers,
        firstByteMs,
        server,
        ...(await readBody(answer)),
      };
    });
  } catch (error) {
    if (signal.aborted) return notMade('the report has no time left');
    if (!(error instanceof EgressError)) throw error;
    return { fault: faultOf(error), detail: error.message.slice(0, 200), server };
  }
}

async function readBody({ body }: EgressAnswer): Promise<{ text: string; sha256: string }> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    hash.update(chunk);
    if (text.length < TEXT_BYTES_MAX) text += decoder.decode(chunk, { stream: true });
  }
  return { text: text.slice(0, TEXT_BYTES_MAX), sha256: hash.digest('hex') };
}

function faultOf({ fault, cause }: EgressError): VisitFault {
  if (fault === 'refused') return 'not_allowed';
  if (fault === 'silent' || fault === 'too_slow') return 'silent';
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return CODES[code] ?? (TLS_ERROR.test(code) ? 'tls' : 'broken');
}
