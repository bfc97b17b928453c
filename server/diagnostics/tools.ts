import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Asked } from '../../routers/schemas/diagnostics.ts';
import type { AccountContext } from '../context.ts';
import { CertificateModel } from '../database/models/domains/certificate.ts';
import { ChallengeAnswerModel } from '../database/models/domains/challenge-answer.ts';
import { DnsLookupError, type Lookups } from '../dns/dns-client.ts';
import { canonicalAddress } from '../dns/queries/canonical-address.ts';
import { knownAccountUrl } from '../domains/certificates/account.ts';
import { AuthorityError } from '../domains/certificates/authority/authority.ts';
import { PERSISTENT } from '../domains/certificates/authority/persistent-record.ts';
import { nearLimit, requireWithinLimits } from '../domains/certificates/authority-use.ts';
import { addressesBehind } from '../domains/records/dns-answers.ts';
import type { Facts, Page, ServerAddress, Tools, Visit } from './checks/check.ts';
import { notedTools, type Ways } from './noted-tools.ts';
import type { Diagnosed } from './subject.ts';
import { createVisits } from './visits.ts';

/** The limit for each family; load-balanced hosts have some. */
const PLACES_MAX = 4;
const PAGES_MAX = 12;
const PAGE_BYTES_MAX = 256 * 1024;
const TOKEN_KEPT_MS = 3 * 60_000;

export type ToolsContext = {
  ctx: AccountContext;
  diagnosed: Diagnosed;
  lookups: Lookups;
  mailBefore: { facts: Facts; isWrittenSince: boolean } | null;
  /** Ends visits and handshakes; the remaining checks are then not judged. */
  signal: AbortSignal;
};

/**
 * Builds the tools of one report, which cache their answers; the returned function gives tools that record into a
 * list.
 */
export function createTools(context: ToolsContext): { toolsFor(asked: Asked[]): Tools; end(): Promise<void> } {
  const { ctx, diagnosed, lookups, signal } = context;
  const { subject } = diagnosed;
  const { providers } = ctx;
  const own = providers.sitesAddresses().then(({ found }) => new Set(found.map(canonicalAddress)));
  const servers = new Map<string, Promise<readonly ServerAddress[]>>();
  const serversOf = (name: string): Promise<readonly ServerAddress[]> => {
    const found = servers.get(name) ?? findServers(lookups, name, own);
    servers.set(name, found);
    return found;
  };
  const visit = createVisits(providers, {
    serverFor: async (host) => serverOfHost(host, serversOf),
    siteHost: subject.isDomain ? null : subject.name,
    signal,
  });
  const token = once(() => makeToken(ctx));
  const root = once(async () => (await providers.authority.root?.()) ?? null);
  const ways: Ways = {
    lookups,
    visit,
    caaOf: (name) => caaInTime(providers, name, signal),
    portAt: ({ isOwn }) => (isOwn ? providers.addresses.sitesTlsPort : undefined) ?? 443,
    handshake: async (name, server, onlyVersion) => {
      const roots = [await root()].flatMap((pem) => pem ?? []);
      const { address, isOwn } = server;
      const versions = onlyVersion === undefined ? {} : { onlyVersion };
      const request = { address, port: ways.portAt(server), name, roots, isOwn, signal, ...versions };
      return providers.reach.handshake(request).catch(() => ({ kind: 'no_route', detail: 'no time left' }) as const);
    },
  };
  return {
    toolsFor: (asked) => ({
      ...notedTools(ways, asked),
      now: () => providers.now(),
      serversOf,
      isAllowed: (address) => providers.reach.isAllowed(address),
      challengeToken: token,
      pages: () => readPages(ctx, diagnosed, visit),
      caaQuestion: () => caaQuestion(ctx, diagnosed, signal),
      authorityTrouble: () => authorityTrouble(ctx, diagnosed),
      mailBefore: async () => context.mailBefore,
    }),
    end: async () => {
      if (token.isAsked()) await ChallengeAnswerModel.deleteOne({ _id: await token() });
    },
  };
}

type Once<T> = (() => Promise<T>) & { isAsked(): boolean };

function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    made ??= make();
    return made;
  };
  return Object.assign(get, { isAsked: () => made !== undefined });
}

/** Reads CAA within the report's time, whose end is no fault: without an answer by then the result is unknown. */
async function caaInTime({ dns }: AccountContext['providers'], name: string, signal: AbortSignal) {
  return dns.caaOf(name, signal).catch((error: unknown) => {
    throw signal.aborted ? new DnsLookupError('timeout', 'The report ran out of time.') : error;
  });
}

/** Returns the addresses of a name, and which of them are ours. */
export async function findServers(
  lookups: Lookups,
  name: string,
  own: Promise<ReadonlySet<string>>,
): Promise<readonly ServerAddress[]> {
  const sets = await Promise.all((['A', 'AAAA'] as const).map((type) => addressesBehind(lookups, { name, type })));
  const ours = await own;
  return sets.flatMap((answers) => {
    const addresses = [...new Set(answers.flatMap(({ values }) => values ?? []))].sort().slice(0, PLACES_MAX);
    return addresses.map((address) => ({ address, isOwn: ours.has(canonicalAddress(address)) }));
  });
}

/** Returns the address of a host's server. An address in a redirect is used as it is; the guarded way out decides. */
async function serverOfHost(host: string, serversOf: Tools['serversOf']): Promise<ServerAddress | null> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { address: literal, isOwn: false };
  return (await serversOf(host))[0] ?? null;
}

async function makeToken({ providers }: AccountContext): Promise<string> {
  const token = randomBytes(24).toString('base64url');
  const expiresAt = new Date(providers.now().getTime() + TOKEN_KEPT_MS);
  await ChallengeAnswerModel.create({ _id: token, text: token, expiresAt });
  return token;
}

/** Returns pages of the release from the store; for a site that is not ours, the answering page. */
async function readPages(
  { providers }: AccountContext,
  { subject, manifest }: Diagnosed,
  visit: (url: string) => Promise<Visit>,
): Promise<Page[]> {
  if (manifest === null) {
    const answer = subject.own === null ? await visit(subject.url) : null;
    return answer === null || answer.fault !== null ? [] : [{ path: '/', text: answer.text }];
  }
  const files = [...manifest].filter(([path, { sizeBytes }]) => /\.html?$/i.test(path) && sizeBytes <= PAGE_BYTES_MAX);
  const pages: Page[] = [];
  for (const [path, { sha256 }] of files.slice(0, PAGES_MAX)) {
    const bytes = await providers.store.readWhole(sha256).catch(() => null);
    if (bytes !== null) pages.push({ path, text: bytes.toString('utf8') });
  }
  return pages;
}

async function caaQuestion({ providers }: AccountContext, { subject }: Diagnosed, signal: AbortSignal) {
  const { authority } = providers;
  if (subject.own?.isServedHere !== true || !authority.isPublic) return null;
  const identities = await authority.caaIdentities(signal).catch(() => []);
  const accountUrl = await knownAccountUrl(authority.id);
  return { identities, accountUrl, methods: ['http-01', 'dns-01', PERSISTENT], isWildcard: false };
}

async function authorityTrouble({ providers, actor }: AccountContext, { subject, certifiedNames }: Diagnosed) {
  const { authority, now } = providers;
  const { accountId } = actor;
  const accountUrl = await knownAccountUrl(authority.id);
  const found = await CertificateModel.findOne({ _id: subject.own?.certificateId ?? '', accountId }).lean();
  const { problem, nextTryAt } = found ?? {};
  if (problem && nextTryAt instanceof Date && nextTryAt > now() && /rateLimited|budget/.test(problem.type)) {
    return { message: problem.message, until: nextTryAt, isNear: false };
  }
  const renews = found?.issued ? ('own' as const) : null;
  const use = { accountUrl: accountUrl ?? '', accountId, names: certifiedNames, isByHand: false, renews };
  try {
    await requireWithinLimits(providers, use);
    const near = await nearLimit(providers, use);
    return near === null ? null : { message: near, until: null, isNear: true };
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    return { message: error.message, until: null, isNear: false };
  }
}
