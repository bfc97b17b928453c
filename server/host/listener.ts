import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAccessLog } from './access-log.ts';
import { endSilentConnections, limitConnection } from './connections.ts';
import { createFileCache, defaultCacheBytes } from './file-cache.ts';
import { HEADERS_MAX } from './route.ts';
import { createRouteTable } from './route-table.ts';
import { createRequestHandler, type HostProviders } from './serve.ts';
import { createSiteCache } from './site.ts';

/** Security facts, 3.2, "Settings". */
const SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
} as const;
const REQUESTS_PER_SOCKET = 1_000;
const CONNECTIONS_MAX = 10_000;
const SILENT_MS = 60_000;
/** Security facts, section 12: requests in hand get this long when the app stops. */
const STOP_GRACE_MS = 10_000;

export type HostOptions = {
  /** 0 takes a free one; `address` tells which. */
  port: number;
  /** Undefined: all addresses. */
  host: string | undefined;
  /** Where the list of live sites is kept, for the day when the database is away. */
  dataDir: string;
  /** False for all but one of several processes: the list is of what any of them would serve. */
  keepsSnapshot?: boolean;
  /** How many processes share the visitors and the memory for files; 1 when absent. */
  processes?: number;
  /** Shorter only in tests. */
  timeouts?: Partial<Record<keyof typeof SETTINGS, number>> & { silentMs?: number };
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
  const sites = createSiteCache(providers.store, providers.log);
  const { dataDir, keepsSnapshot = true, processes = 1 } = options;
  const files = createFileCache(providers.store, Math.floor(defaultCacheBytes() / processes));
  const table = createRouteTable({
    providers,
    dataDir,
    keepsSnapshot,
    warm: async (ref) => void (await sites.load(ref).catch(() => undefined)),
  });
  const visits = createAccessLog(providers);
  const handle = createRequestHandler({ providers, table, sites, files, visits });
  const server = createServer({ ...SETTINGS, ...options.timeouts }, handle);
  server.maxConnections = Math.ceil(CONNECTIONS_MAX / processes);
  server.maxHeadersCount = HEADERS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET;
  endSilentConnections(server, options.timeouts?.silentMs ?? SILENT_MS);
  server.on('connection', (socket) => void limitConnection(socket, providers));

  return {
    refresh: table.refresh,
    async start() {
      await table.start();
      try {
        server.listen({ port: options.port, ...(options.host !== undefined && { host: options.host }) });
        await once(server, 'listening');
        visits.start();
      } catch (error) {
        await table.stop();
        throw error;
      }
    },
    async stop() {
      await closeServer(server);
      await visits.stop();
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
