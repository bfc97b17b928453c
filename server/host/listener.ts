import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AppError } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import { createFileCache } from './file-cache.ts';
import type { Target } from './host-name.ts';
import { PAGES } from './pages.ts';
import { respond, sendPage, sendTrouble } from './respond.ts';
import { createRequestReader, HEADERS_MAX, type Reading } from './route.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { createSiteCache, type Entry, type Site, type SiteCache } from './site.ts';
import type { Route } from './snapshot.ts';

/** Security facts, 3.2, "Settings". */
const SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
} as const;
const REQUESTS_PER_SOCKET = 1_000;
const CONNECTIONS_MAX = 10_000;
const CONNECTIONS_PER_ADDRESS = 100;
const IDLE_SOCKET_MS = 60_000;
/** Security facts, section 12: requests in hand get this long when the app stops. */
const STOP_GRACE_MS = 10_000;
/** One line a minute for the same damaged file: the log stays readable under load. */
const TROUBLE_EVERY_MS = 60_000;

export type HostProviders = Pick<Providers, 'store' | 'changes' | 'addresses' | 'limits' | 'log' | 'now'>;

export type HostOptions = {
  /** 0 takes a free one; `address` tells which. */
  port: number;
  host: string;
  /** Where the list of live sites is kept, for the day when the database is away. */
  dataDir: string;
  /** Shorter only in tests. */
  timeouts?: Partial<typeof SETTINGS> & { idleSocketMs?: number };
};

export type Host = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Reads all names anew; for tests without a change feed. */
  refresh(): Promise<void>;
  readonly address: AddressInfo;
};

/**
 * The built-in host: every live site at `{slug}.{SITES_DOMAIN}`, every release at `r{number}--{slug}.{SITES_DOMAIN}`.
 * A plain `http` listener over releases in memory (performance facts, section 3). A visitor's request never waits for
 * the database when the name is known, and is served from the local list while the database is away.
 */
export function createHost(providers: HostProviders, options: HostOptions): Host {
  const sites = createSiteCache(providers.store);
  const files = createFileCache(providers.store);
  const table = createRouteTable({
    providers,
    dataDir: options.dataDir,
    warm: async (manifestHash) => void (await sites.load(manifestHash).catch(() => undefined)),
  });
  const read = createRequestReader({
    sitesDomain: providers.addresses.sitesDomain,
    appHost: new URL(providers.addresses.publicUrl).hostname,
  });
  const tell = createTroubleLog(providers);

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    reading: Reading,
    route: Route,
    site: Site,
  ): void {
    const onTrouble = (error: unknown, entry: Entry): void => tell(error, route, entry.path);
    const earlier = (): Promise<Site[]> | null => loadEarlier(sites, route, providers.now().getTime());
    respond({ request, response, method: reading.method, site, earlier, files, onTrouble }, reading.path);
  }

  async function answerLater(request: IncomingMessage, response: ServerResponse, reading: Reading): Promise<void> {
    const route = await findRoute(table, reading.target);
    if (route === null) {
      sendPage(response, PAGES.noSite);
      return;
    }
    try {
      const site = await sites.load(route.manifestHash);
      if (!response.destroyed) answer(request, response, reading, route, site);
    } catch (error) {
      tell(error, route, '');
      sendTrouble(response, error);
    }
  }

  const server = createServer({ ...SETTINGS, ...options.timeouts }, (request, response) => {
    const reading = read(request);
    if ('status' in reading) {
      sendPage(response, reading);
      return;
    }
    const { target } = reading;
    if (target.kind === 'misdirected' || target.kind === 'unknown') {
      sendPage(response, target.kind === 'unknown' ? PAGES.noSite : PAGES.misdirected);
      return;
    }
    const route = knownRoute(table, target);
    const site = route && sites.known(route.manifestHash);
    if (route !== undefined && site !== undefined) answer(request, response, reading, route, site);
    else answerLater(request, response, reading).catch((error: unknown) => sendTrouble(response, error));
  });
  limitConnections(server, providers, options.timeouts?.idleSocketMs ?? IDLE_SOCKET_MS);

  return {
    refresh: table.refresh,
    async start() {
      await table.start();
      try {
        server.listen(options.port, options.host);
        await once(server, 'listening');
      } catch (error) {
        await table.stop();
        throw error;
      }
    },
    async stop() {
      await closeServer(server);
      await table.stop();
      await files.close();
    },
    get address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The host is not listening.');
      return address;
    },
  };
}

type SiteTarget = Extract<Target, { slug: string }>;

function knownRoute(table: RouteTable, target: SiteTarget): Route | undefined {
  return target.kind === 'live' ? table.live(target.slug) : table.preview(target.slug, target.number);
}

async function findRoute(table: RouteTable, target: Target): Promise<Route | null> {
  if (!('slug' in target)) return null;
  const known = knownRoute(table, target);
  if (known !== undefined) return known;
  return target.kind === 'live' ? table.findLive(target.slug) : table.findPreview(target.slug, target.number);
}

/** Null when there is none to look into, so that most misses are answered without waiting. */
function loadEarlier(sites: SiteCache, route: Route, now: number): Promise<Site[]> | null {
  const wanted = route.earlier.filter((earlier) => earlier.until > now);
  return wanted.length === 0 ? null : Promise.all(wanted.map((earlier) => sites.load(earlier.manifestHash)));
}

function createTroubleLog({ log, now }: HostProviders) {
  const toldAt = new Map<string, number>();
  return (error: unknown, route: Route, path: string): void => {
    const key = `${route.manifestHash}/${path}`;
    const at = now().getTime();
    if (at - (toldAt.get(key) ?? 0) < TROUBLE_EVERY_MS) return;
    if (toldAt.size > 1_000) toldAt.clear();
    toldAt.set(key, at);
    log.error('A file of a site cannot be served', {
      code: error instanceof AppError ? error.code : 'internal',
      deploymentId: route.deploymentId,
      releaseId: route.releaseId,
      path,
      error: error instanceof Error ? error.message : String(error),
    });
  };
}

/** Security facts, 3.2. Loopback peers are proxies and people at the machine itself: counted only when told to. */
function limitConnections(server: Server, { limits }: HostProviders, idleSocketMs: number): void {
  const byAddress = new Map<string, number>();
  server.maxHeadersCount = HEADERS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  server.maxConnections = CONNECTIONS_MAX;
  server.timeout = idleSocketMs;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (!limits.isAddressCounted && isLoopback(address)) return;
    const count = (byAddress.get(address) ?? 0) + 1;
    byAddress.set(address, count);
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    if (count > CONNECTIONS_PER_ADDRESS) socket.destroy();
  });
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/** Answers in hand are finished; a connection that is only kept open is closed at once. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
