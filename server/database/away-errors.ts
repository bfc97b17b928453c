import mongoose from 'mongoose';
import { AppError } from '../lib/errors.ts';

/** The time that a caller is asked to wait while the database is away. */
const RETRY_AFTER_MS = 2_000;

/** Returns the error that refuses calls while the database is away. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError('database_unavailable', 'The database cannot be reached right now. Try again shortly.', {
    retryAfterMs: RETRY_AFTER_MS,
    cause,
  });
}

/** Returns the error for a call whose time ran out because others kept writing to the same place. */
export function databaseBusy(cause: unknown): AppError {
  return new AppError(
    'database_busy',
    'Too much was changing here at the same time, so nothing was saved. Try again shortly.',
    { retryAfterMs: RETRY_AFTER_MS, cause },
  );
}

/** These driver errors mean "not there now": the server is away or stepping down, or the pool is waiting for it. */
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
/** These server codes mean the same: not primary, shutting down, interrupted (MongoDB's error_codes.yml). */
const AWAY_CODES = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Returns whether this error or its cause says that the database cannot be reached at the moment. */
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
  // mongoose throws this for a call on a closed connection when nothing is buffered.
  if (error.name === 'MongooseError' && /initial connection|not connected|bufferCommands/.test(error.message))
    return true;
  return error.cause !== undefined && isDatabaseAway(error.cause);
}

/**
 * Detects a write to a socket that the server has just closed. Node reports it as its own error, so only the stack
 * shows that the driver made it.
 */
function isBrokenSocketOfDriver(error: Error): boolean {
  const isBroken = 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
  return isBroken && /\bConnection\.(?:writeCommand|sendWire|sendCommand)\b/.test(error.stack ?? '');
}

/** Returns whether a commit was sent and its result stayed unknown for two minutes. */
function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/** Returns the error for the caller when the database is away; undefined for any other error. */
export function translateDatabaseError(error: unknown): AppError | undefined {
  if (!isDatabaseAway(error)) return undefined;
  if (!isOutcomeUnknown(error)) return databaseAway(error);
  const message =
    'The database stopped answering while this was being saved. Check whether it was saved before you repeat it.';
  return new AppError('database_unavailable', message, { cause: error });
}
