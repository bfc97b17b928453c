import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose, { type ClientSession } from 'mongoose';
import { ID_ALPHABET, ID_LENGTH } from '../../routers/schemas/primitives.ts';
import type { AppError } from '../lib/errors.ts';
import { databaseAway, databaseBusy, isDatabaseAway } from './away-errors.ts';
import { applicationName } from './dead-transactions.ts';
import { OLDEST_MAJOR } from './embedded/mongod-binary.ts';
import { isMongoUp, openHealthConnections } from './health.ts';

export { isDatabaseAway, translateDatabaseError } from './away-errors.ts';
export { endTransactionsOf } from './dead-transactions.ts';

/** A filter on an unknown field throws instead of matching everything. */
mongoose.set('strictQuery', 'throw');
/** A call inside a transaction joins it by itself; without this a forgotten session writes outside, silently. */
mongoose.set('transactionAsyncLocalStorage', true);
/** While the database is away a call fails at once instead of waiting for it to come back. */
mongoose.set('bufferCommands', false);
/** Indexes are built at start, in one place, and waited for. */
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);

/** Of one operation; a call of several is ended by `endWhenAway`. */
const SERVER_SELECTION_TIMEOUT_MS = 2_500;
/** Also how long a heartbeat may take: a busy machine is not taken for a dead one. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A server that hangs with its socket open is noticed by its heartbeat alone (driver's default: every 10 s). */
const HEARTBEAT_MS = 2_000;
/** Of a start, when the database may be far away or may be starting as well. */
const FIRST_CONTACT_TIMEOUT_MS = 5_000;
/** A call that has taken this long is followed by a question whether the database answers at all … */
const SLOW_CALL_MS = 1_200;
/** … within this long; a call is answered within 3 s while the database is away. */
const ANSWER_MS = 1_600;
/** How long a transaction is run again that others got in the way of. */
const CONFLICT_TIMEOUT_MS = 20_000;
const CONFLICT_PAUSE_MS = 5;
const CONFLICT_PAUSE_MAX_MS = 100;

/** The database that was named cannot serve. `fault` ends the sentence "The database … which …". */
export class UnsupportedDatabaseError extends Error {
  readonly fault: string;
  /** False when it may serve later, as it is. */
  readonly isFinal: boolean;

  constructor(fault: string, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(`The database ${fault}.`, { cause });
    this.name = 'UnsupportedDatabaseError';
    this.fault = fault;
    this.isFinal = isFinal;
  }
}

export type ConnectOptions = {
  databaseName?: string;
  /** Tells the database whose the connections are, so that a successor can end what a dead process left open. */
  processName?: string;
};

/**
 * Connects mongoose's default connection with the durability that is promised: an acknowledged write has reached the
 * journal of a majority.
 * Throws UnsupportedDatabaseError when it cannot be reached, is no replica set or sharded cluster, or is older than 6.
 */
export async function connectMongo(uri: string, { databaseName, processName }: ConnectOptions = {}): Promise<void> {
  try {
    await firstContact(uri);
    await Promise.all([
      mongoose.connect(uri, {
        serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
        connectTimeoutMS: CONNECT_TIMEOUT_MS,
        heartbeatFrequencyMS: HEARTBEAT_MS,
        writeConcern: { w: 'majority', journal: true },
        readConcernLevel: 'majority',
        appName: applicationName(processName, newId()),
        ...(databaseName !== undefined && { dbName: databaseName }),
      }),
      openHealthConnections(uri, { connectTimeoutMS: CONNECT_TIMEOUT_MS, heartbeatFrequencyMS: HEARTBEAT_MS }),
    ]);
  } catch (error) {
    if (error instanceof UnsupportedDatabaseError) throw error;
    const isMisspelt = error instanceof Error && error.name === 'MongoParseError';
    const what = isMisspelt ? 'has an address that is not understood' : 'cannot be reached';
    throw new UnsupportedDatabaseError(`${what} (${firstLine(error)})`, { isFinal: isMisspelt, cause: error });
  }
}

/** Looks at the server with more patience than calls have, before mongoose holds on to it. */
async function firstContact(uri: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: FIRST_CONTACT_TIMEOUT_MS });
  try {
    const admin = client.db('admin');
    const fault = unsupportedReason(await admin.command({ hello: 1 }), await admin.command({ buildInfo: 1 }));
    if (fault !== null) throw new UnsupportedDatabaseError(fault, { isFinal: true });
  } finally {
    await client.close();
  }
}

/** Why a server of these answers to `hello` and `buildInfo` will not do; null when it will. */
export function unsupportedReason(hello: Record<string, unknown>, buildInfo: Record<string, unknown>): string | null {
  const version = String(buildInfo.version);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) return `is MongoDB ${version}, which is older than ${OLDEST_MAJOR}`;
  const isDistributed = hello.setName !== undefined || hello.msg === 'isdbgrid';
  return isDistributed ? null : 'is no replica set and no sharded cluster, so that it has no transactions';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** A piece of work that somebody waits for. */
type AwaitedWork = {
  /** Whether whoever waits has been told meanwhile that the database is away. */
  isAbandoned(): boolean;
  /** Of transactions in it, those whose commit has been sent and not been answered. Shared with the work around it. */
  commits: { unanswered: number };
};
const awaited = new AsyncLocalStorage<AwaitedWork>();

const isAbandoned = (): boolean => awaited.getStore()?.isAbandoned() === true;

/** Throws `database_unavailable` in work that was ended while it waited to begin: its caller was asked to send it again. */
export function requireAwaited(): void {
  if (isAbandoned()) throw databaseAway();
}

/**
 * Settles as `work` does, but ends with `database_unavailable` within 3 s while the database does not answer: a driver
 * that waits, or tries again and again, is not waited for. What is merely slow takes the time it needs. A transaction of
 * work that was ended so is not committed: its caller was asked to send it again. So a commit that has been sent is waited
 * for, until the database says what has become of it.
 */
export function endWhenAway<T>(work: () => Promise<T>): Promise<T> {
  let hasEnded = false;
  const around = awaited.getStore();
  const commits = around?.commits ?? { unanswered: 0 };
  const isOver = (): boolean => hasEnded || around?.isAbandoned() === true;
  const running = awaited.run({ isAbandoned: isOver, commits }, work);
  return new Promise((resolve, reject) => {
    const mayEnd = (): boolean => commits.unanswered === 0;
    const stopWatching = watchForAway(mayEnd, (error) => {
      hasEnded = true;
      reject(error);
    });
    // Whoever loses the race is heard by nobody.
    running.then(resolve, reject).then(stopWatching, stopWatching);
  });
}

/**
 * Calls `onAway` once the database does not answer and the work may end, unless stopped before. Every call has such a watch: a bare timer,
 * since an abort signal builds an error object at the end of each one.
 */
function watchForAway(mayEnd: () => boolean, onAway: (error: AppError) => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const isUp = await isMongoUp(ANSWER_MS).catch(() => false);
    if (isOver) return;
    if (isUp || !mayEnd()) lookLater();
    else onAway(databaseAway());
  };
  const lookLater = (): void => {
    timer = setTimeout(look, SLOW_CALL_MS).unref();
  };
  lookLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/**
 * Creates the collection and the indexes of every model that has been imported, and drops indexes that no schema names.
 * At start, before anything is served: 11 ms when nothing changes.
 */
export async function buildIndexes(): Promise<void> {
  const collections = await mongoose.connection.listCollections();
  const existing = new Set(collections.map(({ name }) => name));
  await Promise.all(
    mongoose.modelNames().map(async (modelName) => {
      const model = mongoose.model(modelName);
      if (!existing.has(model.collection.name)) await model.createCollection();
      await model.syncIndexes();
    }),
  );
}

/** A new random id: 20 characters of 36, about 103 bits. */
export function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) {
    // 252 is the largest multiple of 36 below 256: bytes above it would favour the first letters.
    for (const byte of randomBytes(ID_LENGTH * 2)) {
      if (byte < 252 && id.length < ID_LENGTH) id += ID_ALPHABET.charAt(byte % ID_ALPHABET.length);
    }
  }
  return id;
}

/**
 * Runs `work` in one transaction and returns what it returns. It may run more than once (write conflicts), so it has
 * no effect outside the database; an AppError thrown in it rolls back and arrives unchanged. Every mongoose call inside
 * joins by itself; raw driver calls, aggregates and bulk writes take the session.
 *
 * While the database is away it ends as any other call does: the driver's own loop would go on for 120 s, so each of
 * its rounds is one of ours. Throws `database_busy` when others have been in the way of every round for `patienceMs`.
 */
export async function transaction<T>(
  work: (session: ClientSession) => Promise<T>,
  patienceMs = CONFLICT_TIMEOUT_MS,
): Promise<T> {
  return endWhenAway(() => runUntilDone(work, patienceMs));
}

async function runUntilDone<T>(work: (session: ClientSession) => Promise<T>, patienceMs: number): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let round = 0; ; round += 1) {
    try {
      return await runOnce(work);
    } catch (error) {
      const cause = error instanceof RunAgain ? error.cause : error;
      if (!isConflict(cause) || isDatabaseAway(cause) || isAbandoned()) throw cause;
      if (performance.now() > giveUpAt) throw databaseBusy(cause);
    }
    const ceiling = Math.min(CONFLICT_PAUSE_MAX_MS, CONFLICT_PAUSE_MS * 1.5 ** round);
    await wait(Math.random() * ceiling);
  }
}

/** Hides from the driver that an error may pass, so that it leaves the next round to us. */
class RunAgain extends Error {
  override name = 'RunAgain';
}

async function runOnce<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  const commits = awaited.getStore()?.commits ?? { unanswered: 0 };
  let isCommitting = false;
  const countCommit = (isSent: boolean): void => {
    commits.unanswered += Number(isSent) - Number(isCommitting);
    isCommitting = isSent;
  };
  try {
    // `connection.transaction` resolves with what the function has returned; mongoose's types say `unknown` loosely.
    return (await mongoose.connection.transaction(
      async (session) => {
        countCommit(false);
        const result = await work(session).catch((error: unknown) => {
          throw isConflict(error) ? new RunAgain('The transaction may be run again.', { cause: error }) : error;
        });
        requireAwaited();
        // The driver commits next, and asks again until it knows the outcome or two minutes have passed.
        countCommit(true);
        return result;
      },
      { readConcern: 'snapshot', writeConcern: { w: 'majority', journal: true } },
    )) as T;
  } finally {
    countCommit(false);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel('TransientTransactionError');
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused the write; with `field`, whether it was the index that begins with this field. */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY)) return false;
  if (field === undefined) return true;
  const pattern = 'keyPattern' in error ? error.keyPattern : undefined;
  return typeof pattern === 'object' && pattern !== null && Object.keys(pattern)[0] === field;
}
