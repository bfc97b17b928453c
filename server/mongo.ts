import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose, { type ClientSession } from 'mongoose';
import { ID_ALPHABET, ID_LENGTH } from '../routers/schemas/primitives.ts';
import { isMongoUp, openPulse } from './database/pulse.ts';
import { AppError } from './errors.ts';

/** A filter on an unknown field throws instead of matching everything (security facts, 10.7). */
mongoose.set('strictQuery', 'throw');
/** A call inside a transaction joins it by itself; without this a forgotten session writes outside, silently. */
mongoose.set('transactionAsyncLocalStorage', true);
/** While the database is away a call fails at once instead of waiting for it to come back. */
mongoose.set('bufferCommands', false);
/** Indexes are built at start, in one place, and waited for. */
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);

/** Product page, section 10. */
export const OLDEST_MAJOR = 6;
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
/** What a caller is asked to wait while the database is away. */
const RETRY_AFTER_MS = 2_000;

/** The database that was named cannot serve. `fault` ends the sentence "The database … which …". */
export class UnfitDatabaseError extends Error {
  readonly fault: string;
  /** False when it may serve later, as it is. */
  readonly isFinal: boolean;

  constructor(fault: string, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(`The database ${fault}.`, { cause });
    this.name = 'UnfitDatabaseError';
    this.fault = fault;
    this.isFinal = isFinal;
  }
}

export type ConnectOptions = {
  databaseName?: string;
};

/**
 * Connects mongoose's default connection with the durability that is promised: an acknowledged write has reached the
 * journal of a majority (security facts, 10.6).
 * Throws UnfitDatabaseError when it cannot be reached, is no replica set or sharded cluster, or is older than 6.
 */
export async function connectMongo(uri: string, { databaseName }: ConnectOptions = {}): Promise<void> {
  try {
    await firstContact(uri);
    await Promise.all([
      mongoose.connect(uri, {
        serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
        connectTimeoutMS: CONNECT_TIMEOUT_MS,
        heartbeatFrequencyMS: HEARTBEAT_MS,
        writeConcern: { w: 'majority', journal: true },
        readConcernLevel: 'majority',
        appName: 'fairlead',
        ...(databaseName !== undefined && { dbName: databaseName }),
      }),
      openPulse(uri, { connectTimeoutMS: CONNECT_TIMEOUT_MS, heartbeatFrequencyMS: HEARTBEAT_MS }),
    ]);
  } catch (error) {
    if (error instanceof UnfitDatabaseError) throw error;
    const isMisspelt = error instanceof Error && error.name === 'MongoParseError';
    const what = isMisspelt ? 'has an address that is not understood' : 'cannot be reached';
    throw new UnfitDatabaseError(`${what} (${firstLine(error)})`, { isFinal: isMisspelt, cause: error });
  }
}

/** Looks at the server with more patience than calls have, before mongoose holds on to it. */
async function firstContact(uri: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: FIRST_CONTACT_TIMEOUT_MS });
  try {
    const admin = client.db('admin');
    const fault = unfitness(await admin.command({ hello: 1 }), await admin.command({ buildInfo: 1 }));
    if (fault !== null) throw new UnfitDatabaseError(fault, { isFinal: true });
  } finally {
    await client.close();
  }
}

/** Why a server of these answers to `hello` and `buildInfo` will not do; null when it will. */
export function unfitness(hello: Record<string, unknown>, buildInfo: Record<string, unknown>): string | null {
  const version = String(buildInfo.version);
  if (Number.parseInt(version, 10) < OLDEST_MAJOR) return `is MongoDB ${version}, which is older than ${OLDEST_MAJOR}`;
  const isDistributed = hello.setName !== undefined || hello.msg === 'isdbgrid';
  return isDistributed ? null : 'is no replica set and no sharded cluster, so that it has no transactions';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** Whether whoever waits for the work that is running has been told meanwhile that the database is away. */
const abandoned = new AsyncLocalStorage<() => boolean>();

const isAbandoned = (): boolean => abandoned.getStore()?.() === true;

/**
 * Settles as `work` does, but ends with `database_unavailable` within 3 s while the database does not answer: a driver
 * that waits, or tries again and again, is not waited for. What is merely slow takes the time it needs. A transaction of
 * work that was ended so is not committed: its caller was asked to send it again.
 */
export function endWhenAway<T>(work: () => Promise<T>): Promise<T> {
  let hasEnded = false;
  const isAbandonedAround = abandoned.getStore();
  const running = abandoned.run(() => hasEnded || isAbandonedAround?.() === true, work);
  return new Promise((resolve, reject) => {
    const stopWatching = watchForAway((error) => {
      hasEnded = true;
      reject(error);
    });
    // Whoever loses the race is heard by nobody.
    running.then(resolve, reject).then(stopWatching, stopWatching);
  });
}

/**
 * Calls `onAway` once the database does not answer, unless stopped before. Every call has such a watch: a bare timer,
 * since an abort signal builds an error object at the end of each one.
 */
function watchForAway(onAway: (error: AppError) => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const isUp = await isMongoUp(ANSWER_MS).catch(() => false);
    if (isOver) return;
    if (isUp) lookLater();
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

function databaseAway(cause?: unknown): AppError {
  return new AppError(
    'database_unavailable',
    'The database cannot be reached at the moment. Please try again shortly.',
    {
      retryAfterMs: RETRY_AFTER_MS,
      cause,
    },
  );
}

/**
 * Creates the collection and the indexes of every model that has been imported, and drops indexes that no schema names.
 * At start, before anything is served: 11 ms when nothing changes.
 */
export async function buildIndexes(): Promise<void> {
  await Promise.all(
    mongoose.modelNames().map(async (modelName) => {
      const model = mongoose.model(modelName);
      await model.createCollection();
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
 * its rounds is one of ours.
 */
export async function transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return endWhenAway(() => runUntilDone(work));
}

async function runUntilDone<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + CONFLICT_TIMEOUT_MS;
  for (let round = 0; ; round += 1) {
    try {
      return await runOnce(work);
    } catch (error) {
      const cause = error instanceof RunAgain ? error.cause : error;
      const isOver = isAbandoned() || performance.now() > giveUpAt;
      if (!isConflict(cause) || isDatabaseAway(cause) || isOver) throw cause;
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
  // `connection.transaction` resolves with what the function has returned; mongoose's types say `unknown` loosely.
  return mongoose.connection.transaction(
    async (session) => {
      const result = await work(session).catch((error: unknown) => {
        throw isConflict(error) ? new RunAgain('The transaction may be run again.', { cause: error }) : error;
      });
      if (isAbandoned()) throw databaseAway();
      return result;
    },
    { readConcern: 'snapshot', writeConcern: { w: 'majority', journal: true } },
  ) as Promise<T>;
}

function isConflict(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel('TransientTransactionError');
}

/** Names of driver errors that mean "not there now": the server is away, stepping down, or the pool is waiting for it. */
const AWAY = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
]);
/** Server codes of the same meaning: not primary, shutting down, interrupted (MongoDB's error_codes.yml). */
const AWAY_CODES = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Whether this error, or what caused it, says that the database is not there at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (AWAY.has(error.name)) return true;
  if (
    'code' in error &&
    typeof error.code === 'number' &&
    error.name.startsWith('Mongo') &&
    AWAY_CODES.has(error.code)
  ) {
    return true;
  }
  if (isBrokenSocketOfDriver(error)) return true;
  // mongoose's own word for a call on a closed connection when nothing is buffered.
  if (error.name === 'MongooseError' && /initial connection|not connected|bufferCommands/.test(error.message))
    return true;
  return error.cause !== undefined && isDatabaseAway(error.cause);
}

/** A write to a socket that the server has just closed comes as Node's own error: only its stack tells whose it was. */
function isBrokenSocketOfDriver(error: Error): boolean {
  const isBroken = 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
  return isBroken && /\bConnection\.(?:writeCommand|sendWire|sendCommand)\b/.test(error.stack ?? '');
}

/** What a caller is told when the database is away; undefined for any other error. */
export function translateDatabaseError(error: unknown): AppError | undefined {
  if (!isDatabaseAway(error)) return undefined;
  return databaseAway(error);
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused the write; with `field`, whether it was the index that begins with this field. */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY)) return false;
  if (field === undefined) return true;
  const pattern = 'keyPattern' in error ? error.keyPattern : undefined;
  return typeof pattern === 'object' && pattern !== null && Object.keys(pattern)[0] === field;
}
