import { LRUCache } from 'lru-cache';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { AppError } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import type { WebRequest } from '../transport/http2.ts';
import type { WebResponse } from '../transport/http2-response.ts';
import type { AccessLog } from './access-log.ts';
import { isHashedName } from './cache-rule.ts';
import { PAGES } from './error-pages.ts';
import type { FileCache } from './file-cache.ts';
import type { Target } from './host-name.ts';
import type { HttpsRedirect } from './https-redirect.ts';
import { type HostParts, type Newer, respond, sendErrorPage, sendPage, sendRedirect } from './respond.ts';
import { createRequestReader, type Reading } from './route.ts';
import type { RouteTable } from './route-table.ts';
import type { Entry } from './served-file.ts';
import { findEarlierAsset, type SiteCache } from './site.ts';
import type { Route } from './snapshot.ts';

/** One line a minute for the same corrupted file: the log stays readable under load. */
const TROUBLE_EVERY_MS = 60_000;
const TOLD_MAX = 1_000;
/** A hash and the path of a file. */
const KEY_MAX = 65 + UPLOAD_LIMITS.maxPathBytes;

export type HostProviders = Pick<
  Providers,
  'store' | 'changes' | 'addresses' | 'limits' | 'rateCounters' | 'log' | 'now'
>;

export type HandlerParts = {
  providers: HostProviders;
  table: RouteTable;
  sites: SiteCache;
  files: FileCache;
  visits: AccessLog;
  /** Whether the requests come over TLS. */
  isTls: boolean;
  /** Where those are led that come in the clear; they are answered where there is none. */
  httpsRedirect?: HttpsRedirect | undefined;
};

type SiteReading = Reading & { target: Extract<Target, { kind: 'site' }> };

/** The one listener function: from a request to its answer, without waiting for anything that is in memory. */
export function createRequestHandler(parts: HandlerParts) {
  const { providers, table, sites, httpsRedirect } = parts;
  const read = createRequestReader({
    sitesDomain: providers.addresses.sitesDomain,
    appHost: new URL(providers.addresses.publicUrl).hostname,
  });
  const host = createHostParts(parts);

  async function answerLater(
    request: WebRequest,
    response: WebResponse,
    { method, path, target }: SiteReading,
    startedAt: number,
  ): Promise<void> {
    const route = table.known(target.host) ?? (await table.find(target.host));
    if (route === null) {
      sendPage(response, PAGES.noSite);
      return;
    }
    try {
      const site = await sites.load(route);
      if (response.destroyed) return;
      respond({ host, request, response, method, path, route, site, isPublic: target.isPublic, startedAt });
    } catch (error) {
      host.onTrouble(error, route, '');
      sendErrorPage(response, error);
    }
  }

  return (request: WebRequest, response: WebResponse): void => {
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
    const location = httpsRedirect?.(request, target.host, path) ?? null;
    if (location !== null) {
      sendRedirect(response, 308, location);
      return;
    }
    const route = table.known(target.host);
    const site = route && sites.known(route.manifestHash);
    if (route !== undefined && site !== undefined) {
      respond({ host, request, response, method, path, route, site, isPublic: target.isPublic, startedAt });
    } else {
      answerLater(request, response, { method, path, target }, startedAt).catch((error: unknown) =>
        sendErrorPage(response, error),
      );
    }
  };
}

function createHostParts({ providers, table, sites, files, visits, isTls }: HandlerParts): HostParts {
  const hasProxies = (providers.addresses.trustedProxies ?? 0) > 0;
  const tell = createTroubleLog(providers);
  return {
    files,
    earlier: (route, path) => findEarlier(sites, route, path, providers.now().getTime()),
    newer: ({ route, isPublic }) => (isPublic ? loadNewer(table, sites, route) : null),
    isSecure: ({ headers }) => isTls || (hasProxies && headers['x-forwarded-proto'] === 'https'),
    onTrouble: tell,
    onAnswered(exchange, status, bytes, isPage) {
      if (exchange.isPublic) visits.note(exchange, status, bytes, isPage);
    },
  };
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

/** Returns a test of whether a line is due: what visitors can bring about as often as they like is told once a minute. */
export function createLineLimit(now: () => Date): (key: string) => boolean {
  /** By the start of the key: a path may be as long as a request allows. */
  const toldAt = new LRUCache<string, number>({ max: TOLD_MAX });
  return (text) => {
    const key = text.slice(0, KEY_MAX);
    const at = now().getTime();
    if (at - (toldAt.get(key) ?? 0) < TROUBLE_EVERY_MS) return false;
    toldAt.set(key, at);
    return true;
  };
}

function createTroubleLog({ log, now }: HostProviders) {
  const isDue = createLineLimit(now);
  return (error: unknown, route: Route, path: string): void => {
    if (!isDue(`${route.manifestHash}/${path}`)) return;
    log.error('A file of a site cannot be served', {
      code: error instanceof AppError ? error.code : 'internal',
      deploymentId: route.deploymentId,
      releaseId: route.releaseId,
      path,
      error: error instanceof Error ? error.message : String(error),
    });
  };
}
