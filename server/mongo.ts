import { randomBytes } from 'node:crypto';
import mongoose, { type ClientSession } from 'mongoose';
import { ID_ALPHABET, ID_LENGTH } from '../routers/schemas/primitives.ts';
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

const OLDEST_MAJOR = 6;
/** Below 3 s, within which a call must be answered while the database is away. */
const SERVER_SELECTION_TIMEOUT_MS = 2_500;
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
    await mongoose.connect(uri, {
      serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      connectTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      waitQueueTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
      writeConcern: { w: 'majority', journal: true },
      readConcernLevel: 'majority',
      appName: 'fairlead',
      ...(databaseName !== undefined && { dbName: databaseName }),
    });
  } catch (error) {
    const isMisspelt = error instanceof Error && error.name === 'MongoParseError';
    throw new UnfitDatabaseError(
      isMisspelt
        ? `has an address that is not understood (${firstLine(error)})`
        : `cannot be reached (${firstLine(error)})`,
      { isFinal: isMisspelt, cause: error },
    );
  }
  try {
    await refuseUnfit();
  } catch (error) {
    await mongoose.disconnect();
    throw error;
  }
}

async function refuseUnfit(): Promise<void> {
  const admin = mongoose.connection.getClient().db('admin');
  const hello = await admin.command({ hello: 1 });
  const fault = unfitness(hello, await admin.command({ buildInfo: 1 }));
  if (fault !== null) throw new UnfitDatabaseError(fault, { isFinal: true });
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

/** Whether the database answers within this time. */
export async function isMongoUp(timeoutMs: number): Promise<boolean> {
  const answer = await mongoose.connection.getClient().db('admin').command({ ping: 1 }, { timeoutMS: timeoutMs });
  return answer.ok === 1;
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
 */
export async function transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return mongoose.connection.transaction(work, {
    readConcern: 'snapshot',
    writeConcern: { w: 'majority', journal: true },
  }) as Promise<T>;
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
  // mongoose's own word for a call on a closed connection when nothing is buffered.
  if (error.name === 'MongooseError' && /initial connection|not connected|bufferCommands/.test(error.message))
    return true;
  return error.cause !== undefined && isDatabaseAway(error.cause);
}

/** What a caller is told when the database is away; undefined for any other error. */
export function translateDatabaseError(error: unknown): AppError | undefined {
  if (!isDatabaseAway(error)) return undefined;
  return new AppError(
    'database_unavailable',
    'The database cannot be reached at the moment. Please try again shortly.',
    {
      retryAfterMs: RETRY_AFTER_MS,
      cause: error,
    },
  );
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused the write; with `field`, whether it was the index that begins with this field. */
export function isDuplicateKey(error: unknown, field?: string): boolean {
  if (!(error instanceof Error && 'code' in error && error.code === DUPLICATE_KEY)) return false;
  if (field === undefined) return true;
  const pattern = 'keyPattern' in error ? error.keyPattern : undefined;
  return typeof pattern === 'object' && pattern !== null && Object.keys(pattern)[0] === field;
}
