import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { VisitModel, type VisitRow } from '../database/models/analytics/visit.ts';
import { VisitSaltModel } from '../database/models/analytics/visit-salt.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { isDuplicateKey } from '../database/mongo.ts';
import type { WebRequest } from '../http/transport/http2.ts';
import { DAY_MS, MINUTE_MS } from '../lib/durations.ts';
import type { Log } from '../lib/log.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { isBot } from './bots.ts';
import { type Exchange, PAGE_PLACES } from './responses/respond.ts';
import type { HostProviders } from './serve.ts';
import { createVisitCount, type Visit, type VisitCount, weightOf } from './visit-count.ts';

/**
 * Visits of live sites, counted without cookies and written in batches. An answer costs one short note after it was
 * sent. Notes become sums once a second, and every few seconds the sums become one small row for each deployment.
 * While the database is away rows wait, up to a limit, and the oldest go first.
 *
 * A visitor is a hash of address and browser with a salt that is deleted after its day (UTC): within a day equal
 * visitors are counted once, and afterwards nobody can tell who they were.
 */
export type AccessLog = {
  /** Notes an answer right after it was sent, at a port with this many trusted proxies in front. */
  note(exchange: AccessRecord, status: number, bytes: number, isPage: boolean, trustedProxies: number): void;
  start(): void;
  /** Writes what is left, if the database takes it soon. */
  stop(): Promise<void>;
  /** Writes all current counts; resolves when that is done or has failed. */
  flush(): Promise<void>;
};

/** The part of an exchange that is noted. */
export type AccessRecord = Pick<Exchange, 'route' | 'path' | 'startedAt'> & {
  request: Pick<WebRequest, 'headers' | 'method' | 'socket'>;
};

/** A process that is killed loses at most this span of time. */
const FLUSH_EVERY_MS = 5_000;
const FOLD_EVERY_MS = 1_000;
/** Notes are folded this early so that they are freed before the garbage collector has to move them. */
const NOTES_MAX = 64;
const ROWS_WAITING_MAX = 10_000;
/** The limit for sums, and again for rows: the row of a busy site holds thousands of visitors. */
const WAITING_MAX_BYTES = 64 * 1024 * 1024;
const ROWS_AT_ONCE = 1_000;
/** Past midnight the last answers of the day are still to be written. */
const SALT_KEPT_ON_MS = 5 * MINUTE_MS;
/** The app has little time to stop, and a visit is not worth waiting for. */
const STOP_WAIT_MS = 2_000;

type Waiting = { rowsMax: number; bytesMax: number };
type Options = { flushEveryMs?: number; waiting?: Partial<Waiting>; isOn?: boolean | undefined };

/**
 * Counts the answers, and writes the counts every few seconds. A warning tells how many rows were lost because they
 * could not be written in time.
 */
export function createAccessLog(providers: HostProviders, options: Options = {}): AccessLog {
  const { log, now } = providers;
  const salts = createSalts(now);
  const most: Waiting = { rowsMax: ROWS_WAITING_MAX, bytesMax: WAITING_MAX_BYTES, ...options.waiting };
  let waiting: VisitRow[] = [];
  let lost = 0;
  const sums = createSums(now, most, () => {
    lost += 1;
  });
  let timers: NodeJS.Timeout[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    sums.fold();
    const mayGrow = await hasRoom(providers);
    const finished = sums.takeAll();
    salts.forgetPast();
    if (mayGrow) for (const count of finished) waiting.push(count.toRow(await salts.of(count.at)));
    const surplus = surplusOf(waiting, most);
    waiting = waiting.slice(surplus);
    lost += surplus;
    if (lost > 0) log.warn('Visits were not counted: the database has been away too long', { rows: lost });
    lost = 0;
    while (waiting.length > 0) {
      const some = waiting.slice(0, ROWS_AT_ONCE);
      if (!(await insertRows(some, log))) return;
      waiting = waiting.slice(some.length);
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write).catch((error: unknown) => {
      log.error('Visits could not be counted', { error: String(error) });
    });
    return writing;
  }

  return {
    note(exchange, status, bytes, isPage, trustedProxies) {
      if (options.isOn === false || isOurs(exchange.request)) return;
      sums.note(toVisit(exchange, status, bytes, isPage, trustedProxies));
    },
    start() {
      timers = [
        setInterval(sums.fold, FOLD_EVERY_MS).unref(),
        setInterval(() => void flush(), options.flushEveryMs ?? FLUSH_EVERY_MS).unref(),
      ];
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await withTimeout(flush(), STOP_WAIT_MS, () => undefined);
    },
    flush,
  };
}

/** Creates the sums of one minute and deployment each; `onLost` is called for each that gives way to a newer one. */
function createSums(now: () => Date, most: Waiting, onLost: () => void) {
  let notes: Visit[] = [];
  let counts = new Map<string, VisitCount>();
  let countsBytes = 0;

  function fold(): void {
    const at = Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS;
    for (const visit of notes) {
      const key = `${visit.deploymentId}/${at}`;
      const known = counts.get(key);
      const count = known ?? createVisitCount(visit, new Date(at));
      if (known === undefined) counts.set(key, count);
      const before = known?.weightBytes ?? 0;
      count.add(visit);
      countsBytes += count.weightBytes - before;
    }
    // A database that hangs takes nothing and refuses nothing.
    for (const [oldest, { weightBytes }] of counts) {
      if (counts.size <= most.rowsMax && countsBytes <= most.bytesMax) break;
      counts.delete(oldest);
      countsBytes -= weightBytes;
      onLost();
    }
    notes = [];
  }

  return {
    fold,
    note(visit: Visit): void {
      notes.push(visit);
      if (notes.length >= NOTES_MAX) fold();
    },
    takeAll(): VisitCount[] {
      const all = [...counts.values()];
      counts = new Map();
      countsBytes = 0;
      return all;
    },
  };
}

/**
 * Visits must not fill the disk of the database. Some databases do not tell how full it is and count as having room.
 */
async function hasRoom({ databaseSpace }: HostProviders): Promise<boolean> {
  return !((await databaseSpace.freeBytes().catch(() => Number.NaN)) <= 0);
}

/** Returns how many of the oldest rows are beyond the limits. */
function surplusOf(rows: readonly VisitRow[], { rowsMax, bytesMax }: Waiting): number {
  let surplus = Math.max(0, rows.length - rowsMax);
  let bytes = rows.slice(surplus).reduce((sum, row) => sum + weightOf(row), 0);
  for (const row of rows.slice(surplus)) {
    if (bytes <= bytesMax) break;
    bytes -= weightOf(row);
    surplus += 1;
  }
  return surplus;
}

/** Returns false when the database does not take the rows now. */
async function insertRows(rows: readonly VisitRow[], log: Log): Promise<boolean> {
  try {
    await VisitModel.insertMany(await ofStaying(rows), { ordered: false });
    return true;
  } catch (error) {
    // The rows of a batch that broke off are there already.
    if (isDuplicateKey(error)) return true;
    log.debug('Visits wait for the database', { rows: rows.length, error: String(error) });
    return false;
  }
}

/** Leaves out deployments that are gone or being removed, whose visits may be erased already. */
async function ofStaying(rows: readonly VisitRow[]): Promise<VisitRow[]> {
  const ids = [...new Set(rows.map(({ deploymentId }) => deploymentId))];
  const staying = await DeploymentModel.distinct('_id', { _id: { $in: ids }, state: { $ne: 'deleting' } }).setOptions({
    acrossAccounts: 'host',
  });
  const known = new Set<unknown>(staying);
  return rows.filter(({ deploymentId }) => known.has(deploymentId));
}

function toVisit(
  { route, request, path, startedAt }: AccessRecord,
  status: number,
  bytes: number,
  isPage: boolean,
  trustedProxies: number,
): Visit {
  const { headers } = request;
  const fromBot = isBot(headers['user-agent']);
  const isPageSeen = isPage && (status === 200 || status === 304) && request.method === 'GET';
  return {
    accountId: route.accountId,
    deploymentId: route.deploymentId,
    path: path.file.replaceAll('\0', '%'),
    status,
    bytes,
    durationMs: performance.now() - startedAt,
    isView: isPageSeen && !fromBot && !isAhead(headers) && !isFramed(headers),
    isBot: fromBot,
    peer: request.socket.remoteAddress,
    trustedProxies,
    headers,
  };
}

/** The name in `User-Agent` of Fairlead's own requests (server/publishing/publication/verification/compare-answers.ts). */
const OUR_NAME = 'Fairlead';

/**
 * Verification visits the public address too, straight from this machine and under Fairlead's name or none. A request
 * that a proxy on this machine passes on names the client that it is for.
 */
function isOurs({ headers, socket }: AccessRecord['request']): boolean {
  const name = headers['user-agent'];
  if ((name !== undefined && name !== OUR_NAME) || headers['x-forwarded-for'] !== undefined) return false;
  return socket.remoteAddress !== undefined && socket.remoteAddress === socket.localAddress;
}

/** A browser that only prefetches has shown the page to nobody. */
function isAhead(headers: IncomingHttpHeaders): boolean {
  return headers['sec-purpose']?.includes('prefetch') === true;
}

/** A page in a frame is a part of another: the picture of a site on its owner's screens is no visit. */
function isFramed(headers: IncomingHttpHeaders): boolean {
  const place = String(headers['sec-fetch-dest']);
  return place !== 'document' && PAGE_PLACES.has(place);
}

type Salts = {
  of(at: Date): Promise<string>;
  /** Forgets the salts of past days; from then on nobody can recognise a visitor of those days. */
  forgetPast(): void;
};

/** Creates one salt a day for all processes, or one of this process when the database cannot be asked on that day. */
function createSalts(now: () => Date): Salts {
  const known = new Map<string, string>();
  return {
    async of(at) {
      const day = at.toISOString().slice(0, 10);
      const remembered = known.get(day);
      if (remembered !== undefined) return remembered;
      const salt = await sharedSalt(day).catch(() => randomBytes(16).toString('hex'));
      known.set(day, salt);
      return salt;
    },
    forgetPast() {
      const oldest = new Date(now().getTime() - SALT_KEPT_ON_MS).toISOString().slice(0, 10);
      for (const day of known.keys()) if (day < oldest) known.delete(day);
    },
  };
}

async function sharedSalt(day: string): Promise<string> {
  const expiresAt = new Date(Date.parse(day) + DAY_MS + SALT_KEPT_ON_MS);
  const fresh = { salt: randomBytes(16).toString('hex'), expiresAt };
  const make = () =>
    VisitSaltModel.findOneAndUpdate({ _id: day }, { $setOnInsert: fresh }, { upsert: true, returnDocument: 'after' });
  // When two processes create it at once, one gets a duplicate key and then finds the other's.
  const doc = await make().catch((error: unknown) => (isDuplicateKey(error) ? make() : Promise.reject(error)));
  return doc.salt;
}
