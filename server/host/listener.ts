import type { AddressInfo } from 'node:net';
import {
  createListener,
  type Listener,
  type ListenerOptions,
  type ListenerTimeouts,
} from '../http/transport/listener.ts';
import type { TlsOptions } from '../http/transport/tls.ts';
import { errnoOf } from '../lib/durable-file.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { createAccessLog } from './access-log.ts';
import { createChallengeAnswers } from './challenge-answers.ts';
import { createHttpsRedirect } from './https-redirect.ts';
import { createFileCache } from './responses/file-cache.ts';
import { sendErrorPage } from './responses/respond.ts';
import { createSiteCache } from './responses/site.ts';
import { HEADERS_MAX } from './routing/route.ts';
import { createRouteTable } from './routing/route-table.ts';
import { createLineLimit, createRequestHandler, type HandlerDeps, type HostProviders } from './serve.ts';

/** A visitor sends no body, so a request that takes longer than this is an attack or comes over a broken line. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A list of 20,000 files is read in some tenths of a second. */
const WARM_TIMEOUT_MS = 1_000;
const noResult = (): void => undefined;

export type HostOptions = {
  /** 0 takes a free port; `address` tells which. */
  port: number;
  host: string | undefined;
  /** The folder with the list of live sites, which serves while the database is away. */
  dataDir: string;
  /** Serves the sites over TLS as well, and redirects visitors on plain http there. */
  tls?: HostTls | undefined;
  timeouts?: ListenerTimeouts;
  /** False for the benchmark that measures the cost of counting. */
  countsVisits?: boolean;
};

export type HostTls = Pick<TlsOptions, 'contextFor' | 'ticketKeys'> & {
  port: number;
  /** Nobody has chosen the port. If another program has it, the host works without TLS. */
  isOptional?: boolean;
  /** A site's address over TLS, with `{slug}` in it; absent where only domains have certificates. */
  url?: string | undefined;
  /** Returns whether a domain has a certificate. */
  has?(name: string): boolean;
};

export type Host = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads all names anew; for tests without a change feed. */
  refresh(): Promise<void>;
  readonly address: AddressInfo;
  /** Undefined without TLS. */
  readonly tlsAddress: AddressInfo | undefined;
};

/**
 * Creates the built-in host: every live site at `{slug}.{SITES_DOMAIN}`, every release at
 * `r{number}--{slug}.{SITES_DOMAIN}`. A visitor's request never waits for the database when the name is known, and is
 * served from the local list while the database is away.
 */
export function createHost(providers: HostProviders, options: HostOptions): Host {
  const sites = createSiteCache(providers);
  const files = createFileCache(providers.store);
  const table = createRouteTable({
    providers,
    dataDir: options.dataDir,
    // The names of all accounts are read in one loop, which waits for no heavy release of one of them.
    warm: (ref) => withTimeout(sites.load(ref).then(noResult, noResult), WARM_TIMEOUT_MS, noResult),
  });
  const visits = createAccessLog(providers, { isOn: options.countsVisits });
  const deps = { providers, table, sites, files, visits, challenges: createChallengeAnswers() };
  const shared = sharedOptions(providers, options);
  const { tls } = options;
  const trustedProxies = providers.addresses.trustedProxies ?? 0;
  const httpsRedirect = tls?.url === undefined ? undefined : createHttpsRedirect(tls.url, trustedProxies);
  let isTlsOpen = false;
  const domainsTls = tls && {
    has: (name: string) => isTlsOpen && tls.has?.(name) === true,
    port: () => secure?.address.port ?? tls.port,
  };
  const handle = createRequestHandler({ ...deps, isTls: false, httpsRedirect, domainsTls });
  const plain = createListener(providers, { ...shared, name: 'the host', port: options.port, handle });
  const secure = tls && createTlsListener(providers, deps, tls, shared);
  const listeners = secure === undefined ? [plain] : [plain, secure];
  for (const { server } of listeners) server.maxHeadersCount = HEADERS_MAX;

  return {
    refresh: table.refresh,
    async start() {
      await table.start();
      try {
        await plain.start();
        isTlsOpen = secure !== undefined && (await startTls(secure, tls, providers));
        visits.start();
      } catch (error) {
        await Promise.all(listeners.map((listener) => listener.stop()));
        await table.stop();
        throw error;
      }
    },
    async stop() {
      await Promise.all(listeners.map((listener) => listener.stop()));
      await visits.stop();
      await table.stop();
      await files.close();
    },
    get address() {
      return plain.address;
    },
    get tlsAddress() {
      return isTlsOpen ? secure?.address : undefined;
    },
  };
}

type Shared = Pick<ListenerOptions, 'host' | 'requestTimeout' | 'timeouts'> & Pick<TlsOptions, 'onError'>;

function sharedOptions({ log, now }: HostProviders, { host, timeouts }: HostOptions): Shared {
  const isDue = createLineLimit(now);
  return {
    host,
    requestTimeout: REQUEST_TIMEOUT_MS,
    onError(_request, response, error) {
      if (isDue(String(error))) log.error('A request to the host failed', { error: String(error) });
      sendErrorPage(response, error);
    },
    timeouts,
  };
}

/** Returns false when another program has the port for TLS and nobody has chosen it. */
async function startTls(listener: Listener, tls: HostTls | undefined, { log }: HostProviders): Promise<boolean> {
  try {
    await listener.start();
    return true;
  } catch (error) {
    if (tls?.isOptional !== true || errnoOf(error) !== 'EADDRINUSE') throw error;
    log.warn('Another program uses the port for TLS: sites are served without TLS; set SITES_TLS_PORT', {
      port: tls.port,
    });
    return false;
  }
}

function createTlsListener(
  providers: HostProviders,
  deps: Omit<HandlerDeps, 'isTls'>,
  { port, contextFor, ticketKeys }: HostTls,
  shared: Shared,
): Listener {
  const direct = withoutProxies(providers);
  const handle = createRequestHandler({ ...deps, providers: direct, isTls: true });
  const onTicketError = (error: unknown): void =>
    direct.log.error('The shared keys of TLS session tickets could not be read', { error: String(error) });
  return createListener(direct, {
    ...shared,
    name: 'the host over TLS',
    port,
    handle,
    tls: { contextFor, ticketKeys, onTicketError, handle, onError: shared.onError },
  });
}

/** A client that ends TLS here is the visitor, and what its request says of proxies is the visitor's own claim. */
function withoutProxies(providers: HostProviders): HostProviders {
  return { ...providers, addresses: { ...providers.addresses, trustedProxies: 0 } };
}
