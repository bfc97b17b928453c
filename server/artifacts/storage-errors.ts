import { errnoOf } from '../durable-file.ts';
import { AppError } from '../errors.ts';

export { errnoOf };

/** The disk, the quota or the limit of the process: in all three the operator makes room. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const UNUSABLE = ['EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ENOTDIR'];

/** Whether the system refused it since there is no room. */
export function isNoRoom(error: unknown): boolean {
  return NO_ROOM.includes(errnoOf(error) ?? '');
}

/** `storage_full`: the disk of the operator, not the room of an account. */
export function storageFull(cause?: unknown): AppError {
  return new AppError('storage_full', 'The disk of this Fairlead is full, so nothing can be uploaded now.', {
    hint: 'What is live stays live. The operator has to make room on the disk of DATA_DIR.',
    cause,
  });
}

/** `artifact_damaged`; `message` says in a sentence what is. */
export function damaged(message: string, cause?: unknown): AppError {
  return new AppError('artifact_damaged', message, { hint: 'Publish the same files again.', cause });
}

/** Whether an artifact opens: what is damaged or missing does not. */
export async function isSound(open: () => Promise<{ close(): Promise<void> }>): Promise<boolean> {
  try {
    await (await open()).close();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'artifact_damaged') return false;
    throw error;
  }
}

/** `storage_unavailable`, with what the system says of the folder. */
export function unusable(folder: string, cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError('storage_unavailable', `The folder ${folder} cannot be used for artifacts: ${why}.`, { cause });
}

/** Error numbers of the system become our codes; everything else passes as it is. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (error instanceof AppError || errno === undefined) throw error;
    if (isNoRoom(error)) throw storageFull(error);
    if (UNUSABLE.includes(errno)) {
      throw new AppError('storage_unavailable', 'The store of files cannot be used right now. Try again later.', {
        cause: error,
      });
    }
    throw error;
  }
}
