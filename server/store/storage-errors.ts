import { errnoOf } from '../lib/durable-file.ts';
import { AppError } from '../lib/errors.ts';

export { errnoOf };

/** The disk, the quota or the limit of the process is full; in all three cases the operator has to make space. */
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const UNUSABLE = ['EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ENOTDIR'];

/** Returns whether the system refused it for lack of space. */
export function isDiskFull(error: unknown): boolean {
  return DISK_FULL.includes(errnoOf(error) ?? '');
}

/** Makes `storage_full`: the disk of the operator is full, not the quota of an account. */
export function storageFull(cause?: unknown): AppError {
  return new AppError('storage_full', 'The disk of this Fairlead is full, so nothing can be uploaded now.', {
    hint: 'What is live stays live. The operator has to make room on the disk of DATA_DIR.',
    cause,
  });
}

type FullSpace = { sayFull(): Promise<void> };

/** Makes `storage_full` for a refusal by the system or the database, and tells the operator of it. */
export async function refusedFull(cause: unknown, space: FullSpace | undefined): Promise<AppError> {
  // A disk that cannot be checked counts as full.
  await space?.sayFull().catch(() => undefined);
  return storageFull(cause);
}

/** Makes `artifact_corrupted`; `message` is a sentence that says what is corrupted. */
export function corrupted(message: string, cause?: unknown): AppError {
  return new AppError('artifact_corrupted', message, { hint: 'Publish the same files again.', cause });
}

/** Returns whether an artifact opens; a corrupted or missing one does not. */
export async function canOpen(open: () => Promise<{ close(): Promise<void> }>): Promise<boolean> {
  try {
    await (await open()).close();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'artifact_corrupted') return false;
    throw error;
  }
}

/** Makes `storage_unavailable`, with the system's reason why the folder cannot be used. */
export function folderUnusable(folder: string, cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError('storage_unavailable', `The folder ${folder} cannot be used for artifacts: ${why}.`, { cause });
}

/** Makes `storage_unavailable`: nothing is known to be lost, and later it may be there. */
export function unreadable(cause?: unknown): AppError {
  return new AppError('storage_unavailable', 'The file store is not available right now. Try again later.', {
    cause,
  });
}

/**
 * Turns error numbers of the system into Fairlead's codes; every other error passes unchanged. A call that writes
 * names its `space`, so that the operator learns of a full disk.
 */
export async function withStorageErrors<T>(work: () => Promise<T>, space?: FullSpace): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (error instanceof AppError || errno === undefined) throw error;
    if (isDiskFull(error)) throw await refusedFull(error, space);
    if (UNUSABLE.includes(errno)) {
      throw unreadable(error);
    }
    throw error;
  }
}
