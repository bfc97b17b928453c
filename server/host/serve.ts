import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import type { FileCache } from './file-cache.ts';
import type { Target } from './host-name.ts';
import { PAGES } from './pages.ts';
import { respond, sendPage, sendTrouble } from './respond.ts';
import { createRequestReader, type Reading } from './route.ts';
import type { RouteTable } from './route-table.ts';
import type { Entry, Site, SiteCache } from './site.ts';
import type { Route } from './snapshot.ts';

/** One line a minute for the same damaged file: the log stays readable under load. */
const TROUBLE_EVERY_MS = 60_000;

export type HostProviders = Pick<Providers, 'store' | 'changes' | 'addresses' | 'limits' | 'tally' | 'log' | 'now'>;

type HandlerParts = { providers: HostProviders; table: RouteTable; sites: SiteCache; files: FileCache };

/** The one listener function: from a request to its answer, without waiting for anything that is in memory. */
export function createRequestHandler({ providers, table, sites, files }: HandlerParts) {
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

  return (request: IncomingMessage, response: ServerResponse): void => {
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
