import mongoose from 'mongoose';
import { AppError } from '../lib/errors.ts';

/** What a caller is asked to wait while the database is away. */
const RETRY_AFTER_MS = 2_000;

/** What a call is refused with while the database is away. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError(
    'database_unavailable',
    'The database cannot be reached at the moment. Please try again shortly.',
    {
      retryAfterMs: RETRY_AFTER_MS,
      cause,
    },
  );
}

/** What a call is refused with when others kept writing to the same place until its time was over. */
export function databaseBusy(cause: unknown): AppError {
  return new AppError(
    'database_busy',
    'Too much was changing here at the same time, so nothing was saved. Please try again shortly.',
    { retryAfterMs: RETRY_AFTER_MS, cause },
  );
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

/** Whether a commit was sent, and nobody could say for two minutes what has become of it. */
function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/** What a caller is told when the database is away; undefined for any other error. */
export function translateDatabaseError(error: unknown): AppError | undefined {
  if (!isDatabaseAway(error)) return undefined;
  if (!isOutcomeUnknown(error)) return databaseAway(error);
  const message =
    'The database stopped answering while this was being saved. Check whether it was saved before you repeat it.';
  return new AppError('database_unavailable', message, { cause: error });
}
