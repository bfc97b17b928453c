import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, link, readFile, readlink, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createDurably, errnoOf, makeFolder } from '../durable-file.ts';
import { type Keys, newKeys, parseKeys } from '../secrets.ts';
import { EXIT_CONFIG, EXIT_FAILED, StartError, sentenceOf } from './start-error.ts';

/** The folder of one installation, held by one running app: `unlock` gives it back. */
export type DataFolder = {
  path: string;
  /** Names this run of the app, in its lock and at what it works on. */
  run: string;
  /** The run that held the folder until it was killed, on this machine since its last boot; null when none is known. */
  killedRun: string | null;
  unlock(): Promise<void>;
};

const LOCK = 'app.lock';
const KEYS = 'keys.json';
/** As often as others may take over the same stale lock, or give theirs back, in the moment between two looks. */
const LOCK_ATTEMPTS = 5;

/**
 * Makes the folder (0700), checks that it can be written, and locks it with the number of this process.
 * Throws StartError when it is no folder, cannot be written, or another running app holds it. A lock whose process is
 * gone is taken over.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const run = randomUUID();
  try {
    await makeFolder(path);
    if (!(await stat(path)).isDirectory()) throw new Error('it is not a folder');
    await chmod(path, 0o700);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const killedRun = await takeLock(path, run);
    return { path, run, killedRun, unlock: () => removeOwn(join(path, LOCK), run) };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      EXIT_FAILED,
      `DATA_DIR is "${path}", which cannot be written (${reasonOf(error)}); give it to this user, or set DATA_DIR to a folder that can be written.`,
      error,
    );
  }
}

/** Only the lock of this run: another one may have taken it over meanwhile. */
async function removeOwn(lock: string, run: string): Promise<void> {
  const content = await readFile(lock, 'utf8').catch(() => '');
  if (content.includes(run)) await rm(lock, { force: true });
}

/** Answers which run was found dead. */
async function takeLock(folder: string, run: string): Promise<string | null> {
  const lock = join(folder, LOCK);
  const own = join(folder, `${LOCK}.${process.pid}`);
  await rm(own, { force: true });
  await createDurably(own, `${process.pid}\n${await startedAt(process.pid)}\n${run}\n`);
  let killedRun: string | null = null;
  try {
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
      // A link is made whole or not at all: nobody ever reads a lock without a number.
      const isTaken = await link(own, lock).then(
        () => true,
        (error: unknown) => refuseUnlessThere(error),
      );
      if (isTaken) return killedRun;
      const judged = await readFile(lock, 'utf8').catch(() => '');
      const holder = await holderOf(judged);
      if (holder !== null) {
        throw new StartError(
          EXIT_FAILED,
          `DATA_DIR "${folder}" is in use by another Fairlead (process ${holder}); stop that one, or set DATA_DIR to another folder.`,
        );
      }
      killedRun = await killedHere(judged);
      await removeStale(lock, judged, `${own}.stale`);
    }
    throw new Error('its lock keeps changing hands');
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes the lock that was judged stale, and no other. Renamed first: of two that judge the same lock, one moves it. The
 * other may come when the first has put its own there: what it moved is not what it judged, and goes back.
 */
export async function removeStale(lock: string, judged: string, moved: string): Promise<void> {
  const isMoved = await rename(lock, moved).then(
    () => true,
    () => false,
  );
  if (!isMoved) return;
  if ((await readFile(moved, 'utf8')) !== judged) await link(moved, lock).catch(refuseUnlessThere);
  await unlink(moved);
}

function refuseUnlessThere(error: unknown): false {
  if (errnoOf(error) === 'EEXIST') return false;
  throw error;
}

/** The number of the process that a lock of this content names, or null when that process is gone. */
async function holderOf(content: string): Promise<number | null> {
  const [pidText = '', since = ''] = content.split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return null;
  // After a crash of the machine or in a new container the number may belong to somebody else by now.
  return since === (await startedAt(pid)) ? pid : null;
}

/**
 * The run that a stale lock names. Null where it says nothing of this boot of this machine, or is of another container: a
 * folder that was copied, or that several of them see, holds the lock of an app that may well be running.
 */
async function killedHere(content: string): Promise<string | null> {
  const [, since = '', run = ''] = content.split('\n');
  const [where = ''] = since.split(' ');
  return where !== '' && where === (await placeOfNumbers()) && run !== '' ? run : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/**
 * Start time of a process in clock ticks since boot, with where its number counts; empty where there is no /proc. "ended" for
 * one that was killed and that its parent has not looked after yet: its number still answers, and holds nothing.
 */
async function startedAt(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Fields 3 and 22 of proc(5); the name in field 2 may hold blanks and is closed by the last parenthesis.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'ended';
  return fields[19] === undefined ? '' : `${await placeOfNumbers()} ${fields[19]}`;
}

/** The boot of the machine and the container (its namespace of process numbers), in which a process has its number. */
async function placeOfNumbers(): Promise<string> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
  return boot && `${boot}/${await readlink('/proc/self/ns/pid').catch(() => '')}`;
}

/**
 * The keys of this installation: from FAIRLEAD_KEYS, else from `keys.json`, which is made at the first start.
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
    `The key file "${path}" cannot be read (${reasonOf(error)}); give it to this user.`,
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
