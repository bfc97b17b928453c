import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose, { type ClientSession, type mongo } from 'mongoose';
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
/** A call inside a transaction joins it by itself; without this a forgotten session would silently write outside it. */
mongoose.set('transactionAsyncLocalStorage', true);
/** While the database is away, calls fail at once instead of waiting for it to come back. */
mongoose.set('bufferCommands', false);
/** Indexes are built and awaited at start, in one place. */
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);

/** The limit of one operation; `endWhenAway` ends a call that has several. */
const SERVER_SELECTION_TIMEOUT_MS = 2_500;
/** Also limits a heartbeat, so that a busy machine is not taken for a dead one. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Only a heartbeat notices a server that hangs with its socket open (driver's default: every 10 s). */
const HEARTBEAT_MS = 2_000;
/** The limit at a start, when the database may be far away or starting as well. */
const FIRST_CONTACT_TIMEOUT_MS = 5_000;
/** When a call has taken this long, the database is asked whether it answers at all … */
const SLOW_CALL_MS = 1_200;
/** … within this time, so that a call is answered within 3 s while the database is away. */
const ANSWER_MS = 1_600;
/** A transaction that conflicts with others is repeated for this long. */
const CONFLICT_TIMEOUT_MS = 20_000;
const CONFLICT_PAUSE_MS = 5;
const CONFLICT_PAUSE_MAX_MS = 100;

/** The named database cannot be used. `fault` completes the sentence "The database … which …". */
export class UnsupportedDatabaseError extends Error {
  readonly fault: string;
  /** False when it may become usable later without a change. */
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
  /** Identifies these connections to the database, so that a successor can end what a dead process left open. */
  processName?: string;
};

/**
 * Connects mongoose's default connection with the promised durability: an acknowledged write has reached the journal
 * of a majority. Throws UnsupportedDatabaseError when the server cannot be reached, is no replica set or sharded
 * cluster, or is older than 6.
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

/** Tries to reach the server, with more patience than calls have, before mongoose connects. */
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

/** Returns why a server with these answers to `hello` and `buildInfo` cannot be used; null when it can. */
export function unsupportedReason(hello: Record<string, unknown>, buildInfo: Record<string, unknown>): string | null {
  const version = String(buildInfo.version);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) return `is MongoDB ${version}, which is older than ${OLDEST_MAJOR}`;
  const isDistributed = hello.setName !== undefined || hello.msg === 'isdbgrid';
  return isDistributed ? null : 'is neither a replica set nor a sharded cluster, so it has no transactions';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** A piece of work that a caller waits for. */
type AwaitedWork = {
  /** Returns whether the caller has been told meanwhile that the database is away. */
  isAbandoned(): boolean;
  /**
   * Counts the transactions in this work whose commit was sent and not yet answered. It is shared with the work around
   * it.
   */
  commits: { unanswered: number };
};
const awaited = new AsyncLocalStorage<AwaitedWork>();

const isAbandoned = (): boolean => awaited.getStore()?.isAbandoned() === true;

/** Throws `database_unavailable` in work that was ended before it began: its caller was asked to send it again. */
export function requireAwaited(): void {
  if (isAbandoned()) throw databaseAway();
}

/**
 * Settles as `work` does, but ends with `database_unavailable` within 3 s while the database does not answer, since
 * the driver itself would wait or retry. Slow work takes the time it needs. When work was ended this way, its
 * transaction is not committed, because its caller was asked to send it again. A commit that has already been sent is
 * awaited until the database reports its result.
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
    // The result of the loser of this race is ignored.
    running.then(resolve, reject).then(stopWatching, stopWatching);
  });
}

/**
 * Calls `onAway` once the database does not answer and the work may end, unless it is stopped before. It is a bare
 * timer because every call has one, and an abort signal builds an error object at the end of each.
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
 * Creates the collection and the indexes of every imported model, and drops indexes that no schema names.
 */
export async function buildIndexes(): Promise<void> {
  const collections = await mongoose.connection.listCollections();
  const existing = new Set(collections.map(({ name }) => name));
  await Promise.all(
    mongoose.modelNames().map(async (modelName) => {
      const model = mongoose.model(modelName);
      // Where all indexes are there, this only lists them.
      if (existing.has(model.collection.name)) return model.syncIndexes();
      // One command for a collection, where mongoose would send one for each index.
      const indexes = model.schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
      return indexes.length > 0 ? model.collection.createIndexes(indexes) : model.createCollection();
    }),
  );
}

/** Identifies the indexes that the models of this version declare. */
export function declaredIndexes(): string {
  const models = mongoose.modelNames().map((name) => mongoose.model(name));
  const declared = models.map(({ collection, schema }) => [collection.name, schema.indexes()]);
  return createHash('sha256').update(JSON.stringify(declared.sort())).digest('base64url');
}

/** Returns a new random id: 20 characters of 36, about 103 bits. */
export function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) {
    // 252 is the largest multiple of 36 below 256: higher bytes would favour the first letters.
    for (const byte of randomBytes(ID_LENGTH * 2)) {
      if (byte < 252 && id.length < ID_LENGTH) id += ID_ALPHABET.charAt(byte % ID_ALPHABET.length);
    }
  }
  return id;
}

/**
 * Runs `work` in one transaction and returns its result. It may run more than once (write conflicts), so it must have
 * no effect outside the database; an AppError thrown in it rolls back and arrives unchanged. Every mongoose call
 * inside joins by itself; raw driver calls, aggregates and bulk writes take the session.
 *
 * While the database is away it ends as any other call does: the driver's own loop would go on for 120 s, so each
 * round is started here. Throws `database_busy` when every round for `patienceMs` has met a conflict.
 */
export async function transaction<T>(
  work: (session: ClientSession) => Promise<T>,
  patienceMs = CONFLICT_TIMEOUT_MS,
): Promise<T> {
  return endWhenAway(() => runUntilDone(work, patienceMs));
}

async function runUntilDone<T>(work: (session: ClientSession) => Promise<T>, patienceMs: number): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let round = 0; ; round += 1) {
    try {
      return await runOnce(work);
    } catch (error) {
      const cause = error instanceof RunAgain ? error.cause : error;
      if (!isConflict(cause) || isDatabaseAway(cause) || isAbandoned()) throw cause;
      if (performance.now() > deadline) throw databaseBusy(cause);
    }
    const ceiling = Math.min(CONFLICT_PAUSE_MAX_MS, CONFLICT_PAUSE_MS * 1.5 ** round);
    await wait(Math.random() * ceiling);
  }
}

/** Hides a transient error from the driver, so that the next round is started here. */
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
    // `connection.transaction` resolves with the function's result; mongoose types it loosely as `unknown`.
    return (await mongoose.connection.transaction(
      async (session) => {
        countCommit(false);
        const result = await work(session).catch((error: unknown) => {
          throw isConflict(error) ? new RunAgain('The transaction may be run again.', { cause: error }) : error;
        });
        requireAwaited();
        // The driver commits next, and repeats until it knows the result or two minutes have passed.
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

/**
 * Returns whether a unique index refused the write; with `field`, whether it was the index that begins with this
 * field.
 */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY)) return false;
  if (field === undefined) return true;
  const pattern = 'keyPattern' in error ? error.keyPattern : undefined;
  return typeof pattern === 'object' && pattern !== null && Object.keys(pattern)[0] === field;
}
