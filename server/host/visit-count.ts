import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { OTHER, REPLY_BUCKETS_MS, type VisitRow } from '../database/models/analytics/visit.ts';
import { newId } from '../database/mongo.ts';
import { addressOf } from '../lib/client-address.ts';
import { openVisitorSet } from '../lib/visitor-set.ts';

/** One answer, remembered until it is counted and never stored itself. */
export type Visit = {
  accountId: string;
  deploymentId: string;
  /** The path is decoded, without the leading slash. */
  path: string;
  status: number;
  bytes: number;
  durationMs: number;
  /** True when a person opened a page; pictures in it, frames, and browsers that only prefetch do not count. */
  isView: boolean;
  /** A program asked, not a person. */
  isBot: boolean;
  /** The connection's address. Behind proxies the visitor's own address is found when the visit is stored. */
  peer: string | undefined;
  /** The number of proxies that add to `X-Forwarded-For` at the port where it came in. */
  trustedProxies: number;
  headers: IncomingHttpHeaders;
};

/**
 * Limits for one deployment within a minute. Everything beyond is counted together, and visitors beyond are not
 * counted.
 */
const PAGES_MAX = 100;
const REFERRERS_MAX = 50;
const VISITORS_MAX = 5_000;
const PATH_MAX = 300;
const AGENT_MAX = 400;
const FORWARDED_MAX = 400;
const REFERRER_MAX = 2_000;
/** The weight of the sums without any page or visitor, and of each page, referrer and visitor besides its text. */
const EMPTY_BYTES = 1_000;
const KEY_BYTES = 64;
/** 72 bits: enough to tell the visitors of a day apart. */
const VISITOR_LENGTH = 12;

/** The sums of one deployment within one minute. */
export type VisitCount = {
  readonly at: Date;
  /** About how much memory it takes, since visitors decide what it has to remember. */
  readonly weightBytes: number;
  add(visit: Visit): void;
  /** Returns the row to be stored, which contains no address any more. */
  toRow(salt: string): VisitRow;
};

/** Begins the sums of a deployment for the minute that starts at `at`. */
export function createVisitCount(
  { accountId, deploymentId }: Pick<Visit, 'accountId' | 'deploymentId'>,
  at: Date,
): VisitCount {
  const sums = { requests: 0, views: 0, bots: 0, bytes: 0 };
  const statuses = new Map<number, number>();
  const pages = new Map<string, number>();
  const referrers = new Map<string, number>();
  const visitors = new Set<string>();
  const replies = Array.from({ length: REPLY_BUCKETS_MS.length + 1 }, () => 0);
  let weightBytes = EMPTY_BYTES;

  function addView(visit: Visit): void {
    sums.views += 1;
    const page = `/${visit.path}`.slice(0, PATH_MAX);
    if (count(pages, page, PAGES_MAX, OTHER)) weightBytes += page.length + KEY_BYTES;
    const from = referrerHost(visit.headers);
    if (from !== null && count(referrers, from, REFERRERS_MAX, OTHER)) weightBytes += from.length + KEY_BYTES;
    if (visitors.size < VISITORS_MAX) addVisitor(visitorOf(visit));
  }

  function addVisitor(visitor: string): void {
    if (!visitors.has(visitor)) weightBytes += visitor.length + KEY_BYTES;
    visitors.add(visitor);
  }

  return {
    at,
    get weightBytes() {
      return weightBytes;
    },
    add(visit) {
      sums.requests += 1;
      sums.bytes += visit.bytes;
      count(statuses, visit.status, Number.POSITIVE_INFINITY, 0);
      if (visit.isBot) sums.bots += 1;
      const bucket = REPLY_BUCKETS_MS.findIndex((end) => visit.durationMs <= end);
      const index = bucket === -1 ? REPLY_BUCKETS_MS.length : bucket;
      replies[index] = (replies[index] ?? 0) + 1;
      if (visit.isView) addView(visit);
    },
    toRow(salt) {
      return {
        _id: newId(),
        accountId,
        deploymentId,
        at,
        ...sums,
        statuses: [...statuses].map(([status, requests]) => ({ status, requests })),
        pages: [...pages].map(([path, views]) => ({ path, views })),
        referrers: [...referrers].map(([host, views]) => ({ host, views })),
        visitors: hashedTexts(visitors, deploymentId, salt),
        replies,
      };
    },
  };
}

/** Hashes the visitors of a deployment, so that nobody can tell who they were once the salt is gone. */
function hashedTexts(visitors: ReadonlySet<string>, deploymentId: string, salt: string): string[] {
  const set = openVisitorSet(null);
  set.add(
    Array.from(visitors, (visitor) => {
      const text = [salt, deploymentId, visitor].join('\n');
      return createHash('sha256').update(text).digest('base64url').slice(0, VISITOR_LENGTH);
    }),
  );
  return set.toTexts();
}

/** About how much memory a row takes. */
export function weightOf({ pages, referrers, visitors }: VisitRow): number {
  const texts = [...pages.map(({ path }) => path), ...referrers.map(({ host }) => host), ...visitors];
  return texts.reduce((sum, { length }) => sum + length + KEY_BYTES, EMPTY_BYTES);
}

/** Returns whether the key is new; beyond this many keys all others count as one. */
function count<Key>(counts: Map<Key, number>, key: Key, keysMax: number, other: Key): boolean {
  const known = counts.get(key);
  if (known === undefined && counts.size >= keysMax) {
    counts.set(other, (counts.get(other) ?? 0) + 1);
    return false;
  }
  counts.set(key, (known ?? 0) + 1);
  return known === undefined;
}

/** Identifies a visitor by address and browser. As for callers of the API, all addresses of one /64 count as one. */
function visitorOf({ peer = 'unknown', headers, trustedProxies }: Visit): string {
  const forwarded = headers['x-forwarded-for'];
  const address = addressOf(peer, forwarded && String(forwarded).slice(-FORWARDED_MAX), trustedProxies);
  return `${address}\n${(headers['user-agent'] ?? '').slice(0, AGENT_MAX)}`;
}

/** Returns the other site that led here; null for none, for this one, and for anything that is no address. */
function referrerHost({ referer, host }: IncomingHttpHeaders): string | null {
  if (referer === undefined || referer.length > REFERRER_MAX || !URL.canParse(referer)) return null;
  const url = new URL(referer);
  if (!url.protocol.startsWith('http') || url.host === host?.toLowerCase()) return null;
  return url.hostname.slice(0, 253);
}
