import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import type { AccessLog } from './access-log.ts';
import { isHashedName } from './cache-rule.ts';
import type { Entry } from './entry.ts';
import type { FileCache } from './file-cache.ts';
import type { Target } from './host-name.ts';
import { PAGES } from './pages.ts';
import { type HostParts, type Newer, respond, sendPage, sendTrouble } from './respond.ts';
import { createRequestReader, type Reading } from './route.ts';
import type { RouteTable } from './route-table.ts';
import { findEarlierAsset, type SiteCache } from './site.ts';
import type { Route } from './snapshot.ts';

/** One line a minute for the same damaged file: the log stays readable under load. */
const TROUBLE_EVERY_MS = 60_000;

export type HostProviders = Pick<Providers, 'store' | 'changes' | 'addresses' | 'limits' | 'tally' | 'log' | 'now'>;

type HandlerParts = {
  providers: HostProviders;
  table: RouteTable;
  sites: SiteCache;
  files: FileCache;
  visits: AccessLog;
};

/** The one listener function: from a request to its answer, without waiting for anything that is in memory. */
export function createRequestHandler(parts: HandlerParts) {
  const { providers, table, sites } = parts;
  const read = createRequestReader({
    sitesDomain: providers.addresses.sitesDomain,
    appHost: new URL(providers.addresses.publicUrl).hostname,
  });
  const host = createHostParts(parts);

  async function answerLater(
    request: IncomingMessage,
    response: ServerResponse,
    { method, path, target }: Reading,
    startedAt: number,
  ): Promise<void> {
    const route = await findRoute(table, target);
    if (route === null) {
      sendPage(response, PAGES.noSite);
      return;
    }
    try {
      const site = await sites.load(route);
      const isPublic = target.kind === 'live';
      if (!response.destroyed) respond({ host, request, response, method, path, route, site, isPublic, startedAt });
    } catch (error) {
      host.onTrouble(error, route, '');
      sendTrouble(response, error);
    }
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const startedAt = performance.now();
    const reading = read(request);
    if ('status' in reading) {
      sendPage(response, reading);
      return;
    }
    const { target, method, path } = reading;
    if (target.kind === 'misdirected' || target.kind === 'unknown') {
      sendPage(response, target.kind === 'unknown' ? PAGES.noSite : PAGES.misdirected);
      return;
    }
    const route = knownRoute(table, target);
    const site = route && sites.known(route.manifestHash);
    if (route !== undefined && site !== undefined) {
      const isPublic = target.kind === 'live';
      respond({ host, request, response, method, path, route, site, isPublic, startedAt });
    } else {
      answerLater(request, response, reading, startedAt).catch((error: unknown) => sendTrouble(response, error));
    }
  };
}

function createHostParts({ providers, table, sites, files, visits }: HandlerParts): HostParts {
  const hasProxies = (providers.addresses.trustedProxies ?? 0) > 0;
  const tell = createTroubleLog(providers);
  return {
    files,
    earlier: (route, path) => findEarlier(sites, route, path, providers.now().getTime()),
    newer: ({ route, isPublic }) => (isPublic ? loadNewer(table, sites, route) : null),
    isSecure: ({ headers }) => hasProxies && headers['x-forwarded-proto'] === 'https',
    onTrouble: tell,
    onAnswered(exchange, status, bytes, isPage) {
      if (exchange.isPublic) visits.note(exchange, status, bytes, isPage);
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

function findEarlier(sites: SiteCache, route: Route, path: string, now: number): Promise<Entry | undefined> | null {
  if (route.earlier.length === 0 || !isHashedName(path)) return null;
  const wanted = route.earlier.filter((earlier) => earlier.until > now).map(({ manifestHash }) => manifestHash);
  return wanted.length === 0 ? null : findEarlierAsset(sites, wanted, path);
}

function loadNewer(table: RouteTable, sites: SiteCache, route: Route): Promise<Newer | null> | null {
  const finding = table.findNewer(route);
  if (finding === null) return null;
  return finding.then(async (found) => found && { route: found, site: await sites.load(found) });
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
