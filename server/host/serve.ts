import { LRUCache } from 'lru-cache';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import type { Providers } from '../context.ts';
import type { WebRequest } from '../http/transport/http2.ts';
import type { WebResponse } from '../http/transport/http2-response.ts';
import { addressOf } from '../lib/client-address.ts';
import { isHashedName } from '../lib/content/cache-rule.ts';
import { AppError } from '../lib/errors.ts';
import { certifiedUrlHere, urlOf } from '../lib/site-names.ts';
import type { AccessLog } from './access-log.ts';
import { type ChallengeAnswers, sendChallengeText } from './challenge-answers.ts';
import { challengeTokenOf, type HttpsRedirect, isChallenge, isInClear } from './https-redirect.ts';
import { createContents } from './responses/contents.ts';
import { PAGES } from './responses/error-pages.ts';
import type { FileCache } from './responses/file-cache.ts';
import { locationOf } from './responses/request-path.ts';
import { type Newer, type RespondDeps, respond, sendErrorPage, sendPage, sendRedirect } from './responses/respond.ts';
import type { Entry } from './responses/served-file.ts';
import { findEarlierAsset, type SiteCache } from './responses/site.ts';
import type { Target } from './routing/host-name.ts';
import { createRequestReader, type Reading } from './routing/route.ts';
import type { RouteTable } from './routing/route-table.ts';
import type { Route } from './routing/site-list.ts';

/** One line a minute for the same corrupted file, so that the log stays readable under load. */
const TROUBLE_EVERY_MS = 60_000;
const LOGGED_MAX = 1_000;
/** A hash and the path of a file. */
const KEY_MAX = 65 + UPLOAD_LIMITS.maxPathBytes;

export type HostProviders = Pick<
  Providers,
  'store' | 'databaseSpace' | 'changes' | 'addresses' | 'limits' | 'rateCounters' | 'log' | 'now'
>;

export type HandlerDeps = {
  providers: HostProviders;
  table: RouteTable;
  sites: SiteCache;
  files: FileCache;
  visits: AccessLog;
  /** True when the requests come over TLS. */
  isTls: boolean;
  /** Redirects visitors on plain http to https; without it they are answered on plain http. */
  httpsRedirect?: HttpsRedirect | undefined;
  challenges: ChallengeAnswers;
  /** Names the domains that are served over TLS as well, and the port; visitors on plain http are redirected there. */
  domainsTls?: DomainsTls | undefined;
};

export type DomainsTls = { has(name: string): boolean; port(): number };

type SiteReading = Reading & { target: Extract<Target, { kind: 'site' | 'domain' }> };

/** The one listener function: it answers a request without waiting for anything that is in memory. */
export function createRequestHandler(deps: HandlerDeps) {
  const { providers, table, sites, challenges } = deps;
  const { trustedProxies = 0 } = providers.addresses;
  const read = createRequestReader({
    sitesDomain: providers.addresses.sitesDomain,
    appHost: new URL(providers.addresses.publicUrl).hostname,
  });
  const host = createRespondDeps(deps);
  const leadTo = createLead(deps);
  const answerLater = createLateAnswer(deps, host, leadTo);

  /**
   * Answers an authority's challenge at the very name that it asks; every other path in that folder belongs to the
   * site.
   */
  async function answerChallenge(
    request: WebRequest,
    response: WebResponse,
    reading: SiteReading,
    startedAt: number,
  ): Promise<void> {
    const text = await challenges.find(challengeTokenOf(reading.path), visitorOf(request, trustedProxies));
    if (text === null) await answerLater(request, response, reading, startedAt);
    else if (!response.destroyed) sendChallengeText(response, text);
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
    const wanted = { method, path, target };
    if (target.kind === 'domain' && isChallenge(path) && table.servedName(target.host) !== undefined) {
      answerChallenge(request, response, wanted, startedAt).catch((error: unknown) => sendErrorPage(response, error));
      return;
    }
    const location = leadTo(request, wanted);
    if (location !== null) {
      sendRedirect(response, 308, location);
      return;
    }
    const route = table.known(target.host);
    const site = route && sites.known(route);
    if (route !== undefined && site !== undefined) {
      respond({ host, request, response, method, path, route, site, isPublic: target.isPublic, startedAt });
    } else {
      answerLater(request, response, wanted, startedAt).catch((error: unknown) => sendErrorPage(response, error));
    }
  };
}

/** Returns the function that answers a request whose route or files are not in memory yet. */
function createLateAnswer({ providers, table, sites }: HandlerDeps, host: RespondDeps, leadTo: Lead) {
  const { trustedProxies = 0 } = providers.addresses;
  return async (request: WebRequest, response: WebResponse, reading: SiteReading, startedAt: number): Promise<void> => {
    const { method, path, target } = reading;
    const route = table.known(target.host) ?? (await table.find(target.host, visitorOf(request, trustedProxies)));
    if (route === null) {
      sendPage(response, PAGES.noSite);
      return;
    }
    const location = leadTo(request, reading);
    if (location !== null) {
      sendRedirect(response, 308, location);
      return;
    }
    try {
      const site = await sites.load(route, target.isPublic ? 'live' : 'preview');
      if (response.destroyed) return;
      respond({ host, request, response, method, path, route, site, isPublic: target.isPublic, startedAt });
    } catch (error) {
      host.onTrouble(error, route, '');
      sendErrorPage(response, error);
    }
  };
}

function visitorOf({ socket, headers }: WebRequest, trustedProxies: number): string {
  const forwarded = headers['x-forwarded-for'];
  return addressOf(socket.remoteAddress ?? 'unknown', forwarded && String(forwarded), trustedProxies);
}

type Lead = (request: WebRequest, reading: SiteReading) => string | null;

/**
 * Returns a function that gives the address of a redirect before the site answers: to https, or to that of a domain's
 * two names that serves.
 */
function createLead({ providers, table, httpsRedirect, domainsTls, isTls }: HandlerDeps): Lead {
  const { sitesUrl, trustedProxies = 0 } = providers.addresses;
  return (request, { target, path }) => {
    // A domain has another certificate than the sites, if any.
    if (target.kind === 'site') return httpsRedirect?.(request, target.host, path) ?? null;
    const servedName = table.servedName(target.host);
    if (servedName === undefined || isChallenge(path)) return null;
    const rest = locationOf(path);
    if (!isTls && domainsTls?.has(servedName) && isInClear(request, trustedProxies)) {
      return `${certifiedUrlHere({ sitesUrl, tlsPort: domainsTls.port() }, servedName)}${rest}`;
    }
    if (servedName === target.host) return null;
    const scheme = isSecure(request, isTls, trustedProxies) ? 'https' : 'http';
    return `${urlOf(scheme, servedName, portOf(request))}${rest}`;
  };
}

function isSecure({ headers }: WebRequest, isTls: boolean, trustedProxies: number): boolean {
  return isTls || (trustedProxies > 0 && headers['x-forwarded-proto'] === 'https');
}

/** Returns the port that the visitor used; undefined for the usual one of the scheme. */
function portOf({ headers }: WebRequest): number | undefined {
  const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return port === undefined ? undefined : Number(port);
}

function createRespondDeps({ providers, table, sites, files, visits, isTls }: HandlerDeps): RespondDeps {
  const trustedProxies = providers.addresses.trustedProxies ?? 0;
  const logTrouble = createTroubleLog(providers);
  return {
    files,
    contents: createContents(files, providers.rateCounters),
    earlier: (route, path) => findEarlier(sites, route, path, providers.now().getTime()),
    newer: ({ route, isPublic }) => (isPublic ? loadNewer(table, sites, route) : null),
    isSecure: (request) => isSecure(request, isTls, trustedProxies),
    onTrouble: logTrouble,
    onAnswered(exchange, status, bytes, isPage) {
      if (exchange.isPublic) visits.note(exchange, status, bytes, isPage, trustedProxies);
    },
  };
}

function findEarlier(sites: SiteCache, route: Route, path: string, now: number): Promise<Entry | undefined> | null {
  if (route.earlier.length === 0 || !isHashedName(path)) return null;
  const { accountId } = route;
  const wanted = route.earlier
    .filter((earlier) => earlier.until > now)
    .map(({ manifestHash }) => ({ accountId, manifestHash }));
  return wanted.length === 0 ? null : findEarlierAsset(sites, wanted, path);
}

async function loadNewer(table: RouteTable, sites: SiteCache, route: Route): Promise<Newer | null> {
  const found = await table.findNewer(route);
  return found && { route: found, site: await sites.load(found) };
}

/** Returns a test whether a line is due, since trouble that visitors can cause at will is logged once a minute. */
export function createLineLimit(now: () => Date): (key: string) => boolean {
  /** Keyed by the start of the key alone, because a path may be as long as a request allows. */
  const loggedAt = new LRUCache<string, number>({ max: LOGGED_MAX });
  return (text) => {
    const key = text.slice(0, KEY_MAX);
    const at = now().getTime();
    if (at - (loggedAt.get(key) ?? 0) < TROUBLE_EVERY_MS) return false;
    loggedAt.set(key, at);
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
