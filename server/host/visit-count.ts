import { createHash } from 'node:crypto';
import { REPLY_BUCKETS_MS, type VisitRow } from '../models/visit.ts';
import { newId } from '../mongo.ts';

/** What the host remembers of one answer until it is counted; never written as such. */
export type Visit = {
  accountId: string;
  deploymentId: string;
  /** Decoded, without the leading slash. */
  path: string;
  status: number;
  bytes: number;
  durationMs: number;
  /** Somebody opened a page: neither a picture in it nor a browser that only fetches ahead. */
  isView: boolean;
  address: string;
  agent: string;
  /** The `Referer` header, or empty. */
  referrer: string;
  host: string;
};

/** Of one deployment within a minute: what is beyond is counted in the sums alone. */
const PAGES_MAX = 100;
const REFERRERS_MAX = 50;
const VISITORS_MAX = 5_000;
const PATH_MAX = 300;
const AGENT_MAX = 400;
/** 72 bits: enough to tell the visitors of a day apart. */
const VISITOR_LENGTH = 12;

/** The sums of one deployment within one minute. */
export type VisitCount = {
  readonly at: Date;
  add(visit: Visit): void;
  /** What is stored: from here on nobody knows an address any more. */
  toRow(salt: string): VisitRow;
};

export function createVisitCount(
  { accountId, deploymentId }: Pick<Visit, 'accountId' | 'deploymentId'>,
  at: Date,
): VisitCount {
  const sums = { requests: 0, views: 0, bytes: 0 };
  const statuses = new Map<number, number>();
  const pages = new Map<string, number>();
  const referrers = new Map<string, number>();
  const visitors = new Set<string>();
  const replies = Array.from({ length: REPLY_BUCKETS_MS.length + 1 }, () => 0);

  function addView(visit: Visit): void {
    sums.views += 1;
    count(pages, `/${visit.path}`.slice(0, PATH_MAX), PAGES_MAX);
    const from = referrerHost(visit);
    if (from !== null) count(referrers, from, REFERRERS_MAX);
    if (visitors.size < VISITORS_MAX) visitors.add(`${visit.address}\n${visit.agent.slice(0, AGENT_MAX)}`);
  }

  return {
    at,
    add(visit) {
      sums.requests += 1;
      sums.bytes += visit.bytes;
      count(statuses, visit.status, Number.POSITIVE_INFINITY);
      const bucket = REPLY_BUCKETS_MS.findIndex((end) => visit.durationMs <= end);
      const index = bucket === -1 ? REPLY_BUCKETS_MS.length : bucket;
      replies[index] = (replies[index] ?? 0) + 1;
      if (visit.isView) addView(visit);
    },
    toRow(salt) {
      const hash = (visitor: string): string =>
        createHash('sha256')
          .update(`${salt}\n${deploymentId}\n${visitor}`)
          .digest('base64url')
          .slice(0, VISITOR_LENGTH);
      return {
        _id: newId(),
        accountId,
        deploymentId,
        at,
        ...sums,
        statuses: [...statuses].map(([status, requests]) => ({ status, requests })),
        pages: [...pages].map(([path, views]) => ({ path, views })),
        referrers: [...referrers].map(([host, views]) => ({ host, views })),
        visitors: [...visitors].map(hash),
        replies,
      };
    },
  };
}

function count<Key>(counts: Map<Key, number>, key: Key, keysMax: number): void {
  const known = counts.get(key);
  if (known === undefined && counts.size >= keysMax) return;
  counts.set(key, (known ?? 0) + 1);
}

/** The other site that led here; null for none, for this one, and for what is no address. */
function referrerHost({ referrer, host }: Visit): string | null {
  if (referrer === '' || referrer.length > 2_000 || !URL.canParse(referrer)) return null;
  const { hostname, protocol, host: withPort } = new URL(referrer);
  if (!protocol.startsWith('http') || withPort === host.toLowerCase()) return null;
  return hostname.slice(0, 253);
}
