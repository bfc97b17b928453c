import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Keys, newKeys, parseKeys } from '../lib/crypto/secrets.ts';
import { createDurably, errnoOf, makeFolder } from '../lib/durable-file.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { type FolderLock, type LockOptions, takeFolderLock } from './folder-lock.ts';

/** The folder of one installation, held by one running app. */
export type DataFolder = FolderLock & {
  path: string;
  /** Identifies this run of the app, in its lock and on the jobs that it works on. */
  run: string;
};

const KEYS = 'keys.json';

/**
 * Makes the folder (0700), checks that it can be written, and locks it.
 * Throws StartError when it is no folder, cannot be written, or another running app holds it. A lock whose process is
 * gone is taken over.
 */
export async function openDataFolder(path: string, options: LockOptions): Promise<DataFolder> {
  const run = randomUUID();
  try {
    await makeFolder(path);
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a folder');
    await chmod(path, 0o700);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return { path, run, ...(await takeFolderLock(path, run, options)) };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      EXIT_FAILED,
      `DATA_DIR is "${path}", which cannot be written to (${reasonOf(error)}); let this user write to it, or set DATA_DIR to a folder that can be written to.`,
      error,
    );
  }
}

/**
 * Returns the keys of this installation: from FAIRLEAD_KEYS, else from `keys.json`, which is made at the first start.
 * Throws StartError when the file can be read by others, is damaged, or is missing although the database has data: new
 * keys would lock everything that the old ones sealed.
 */
export async function readOrMakeKeys(folder: string, given: Keys | undefined, hasData: boolean): Promise<Keys> {
  if (given !== undefined) return given;
  const path = join(folder, KEYS);
  const text = await readFile(path, 'utf8').catch((error: unknown) => refuseUnlessMissing(error, path));
  if (text === null) {
    if (hasData) {
      throw new StartError(
        EXIT_CONFIG,
        `The key file "${path}" is missing although the database has data; put it back from a backup, or give its content in FAIRLEAD_KEYS.`,
      );
    }
    return makeKeys(path);
  }
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) !== 0) {
    throw new StartError(
      EXIT_CONFIG,
      `The key file "${path}" can be read by other users (mode ${mode.toString(8).padStart(4, '0')}); run chmod 600 on it.`,
    );
  }
  const keys = parseKeys(text);
  if (keys === null) {
    throw new StartError(
      EXIT_CONFIG,
      `The key file "${path}" is damaged; put it back from a backup, or give its content in FAIRLEAD_KEYS.`,
    );
  }
  return keys;
}

function refuseUnlessMissing(error: unknown, path: string): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw new StartError(
    EXIT_CONFIG,
    `The key file "${path}" cannot be read (${reasonOf(error)}); make this user its owner.`,
    error,
  );
}

async function makeKeys(path: string): Promise<Keys> {
  const keys = newKeys();
  await createDurably(path, `${JSON.stringify(keys, null, 2)}\n`);
  return keys;
}

function reasonOf(error: unknown): string {
  return errnoOf(error) ?? sentenceOf(error);
}
