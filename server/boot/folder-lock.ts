import { constants } from 'node:fs';
import { appendFile, open, readdir, readFile, readlink, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDurably, errnoOf } from '../lib/durable-file.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';

/**
 * The lock of a data folder: one file a run of the app, `app.{run}.lock`. A run writes its own file, then looks at those of
 * all others, and holds the folder once none of them is alive: of two that start at once, the one that wrote later sees
 * the other. No file is ever renamed or written over, so that removing a dead one can hit no other.
 *
 * Whether a run is alive is known by its process where its number means something here. For a run of another container
 * or machine on the same volume it is known by its heartbeat, which its file shows.
 */
export type FolderLock = {
  /** The runs that held the folder here, on this machine since its last boot, and were killed. */
  killedRuns: readonly string[];
  /** Forgets the killed runs, because their jobs have been taken over and the next start need not know of them. */
  forgetKilledRuns(): void;
  release(): Promise<void>;
};

export type LockOptions = {
  /**
   * Called once when another run has taken the folder because this one was silent for too long; this run must then
   * stop.
   */
  onLost: () => void;
  heartbeatMs?: number;
  /** A run elsewhere that has been silent for this long counts as dead. */
  silentMs?: number;
};

const NAME = /^app\.(?<run>[\w-]+)\.lock$/;
const HEARTBEAT_MS = 1_000;
const SILENT_MS = 6_000;
/** The pause between two looks at runs that start at the same time. */
const LOOK_AGAIN_MS = 20;
const LOOKS_MAX = 500;
/** Lines that are appended to a lock; a reader sees the whole line or none of it. */
const HELD = 'held';
const RELEASED = 'released';
const KILLED_RUNS_MAX = 20;
/** Appends only to an existing file, so that a lock which another run has removed is not created anew. */
const ADD = { flag: constants.O_WRONLY | constants.O_APPEND };

type Other = { run: string; path: string; pid: number; isHeld: boolean; isAlive: boolean; killedRuns: string[] };

/** Takes the lock on the folder. Throws StartError while another run holds it. */
export async function takeFolderLock(folder: string, run: string, options: LockOptions): Promise<FolderLock> {
  const own = createOwnLock(join(folder, `app.${run}.lock`), options);
  const dead = new Map<string, Other>();
  try {
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const isWritten = own.isWritten();
      const alive = await findAlive(folder, { run, dead, silentMs: options.silentMs ?? SILENT_MS });
      const holder = alive.find(({ isHeld }) => isHeld);
      if (holder !== undefined) throw inUse(folder, holder.pid);
      const killedRuns = [...dead.values()].flatMap((other) => other.killedRuns).slice(-KILLED_RUNS_MAX);
      if (isWritten && alive.length === 0) {
        await own.hold();
        await Promise.all([...dead.values()].map(({ path }) => rm(path, { force: true })));
        return { killedRuns, ...releasing(own, killedRuns) };
      }
      // When several start at once, the first by name stays and the others give way.
      const isFirst = alive.every((other) => run < other.run);
      if (isWritten && !isFirst) await own.remove();
      if (!isWritten && isFirst) await own.write(killedRuns);
      if (alive.length > 0) await wait(LOOK_AGAIN_MS);
    }
    throw new Error('other Fairlead processes keep starting there at the same time');
  } catch (error) {
    await own.remove();
    throw error;
  }
}

function inUse(folder: string, pid: number): StartError {
  return new StartError(
    EXIT_FAILED,
    `DATA_DIR "${folder}" is in use by another Fairlead (process ${pid}); stop that one, or set DATA_DIR to another folder.`,
  );
}

/** Creates the file of this run and starts its heartbeat at once: others may judge it before it holds the folder. */
function createOwnLock(path: string, { onLost, heartbeatMs = HEARTBEAT_MS }: LockOptions) {
  let heart: NodeJS.Timeout | undefined;
  let isHolding = false;
  const beat = async (): Promise<void> => {
    const now = new Date();
    await utimes(path, now, now).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT' || heart === undefined) return;
      stop();
      if (isHolding) onLost();
    });
  };
  const stop = (): void => {
    clearInterval(heart);
    heart = undefined;
  };
  return {
    isWritten: () => heart !== undefined,
    async write(killedRuns: readonly string[]) {
      await createDurably(path, `${process.pid}\n${await startedAt(process.pid)}\n${killedRuns.join(' ')}\n`);
      heart = setInterval(() => void beat(), heartbeatMs).unref();
    },
    async hold() {
      await appendFile(path, `${HELD}\n`, ADD);
      isHolding = true;
    },
    async remove() {
      stop();
      await rm(path, { force: true });
    },
    async leaveReleased() {
      stop();
      await appendFile(path, `${RELEASED}\n`, ADD).catch(ignoreMissing);
    },
  };
}

function releasing(
  own: ReturnType<typeof createOwnLock>,
  killedRuns: readonly string[],
): Pick<FolderLock, 'forgetKilledRuns' | 'release'> {
  let isForgotten = killedRuns.length === 0;
  return {
    forgetKilledRuns: () => {
      isForgotten = true;
    },
    // A start that failed leaves the next one the list of runs whose jobs are to be taken over.
    release: () => (isForgotten ? own.remove() : own.leaveReleased()),
  };
}

function ignoreMissing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

type RunSearch = { run: string; dead: Map<string, Other>; silentMs: number };

/** Finds the other runs that are alive; dead ones are added to `dead` and not looked at again. */
async function findAlive(folder: string, { run, dead, silentMs }: RunSearch): Promise<Other[]> {
  const runs = (await readdir(folder)).flatMap((name) => NAME.exec(name)?.groups?.run ?? []);
  const unknown = runs.filter((other) => other !== run && !dead.has(other));
  const looks = unknown.map((other) => lookAt(join(folder, `app.${other}.lock`), other, silentMs));
  const others = (await Promise.all(looks)).filter((other) => other !== null);
  for (const other of others) if (!other.isAlive) dead.set(other.run, other);
  return others.filter(({ isAlive }) => isAlive);
}

/** Reads another run's lock; returns null when the file is gone. */
async function lookAt(path: string, run: string, silentMs: number): Promise<Other | null> {
  const content = await readFile(path, 'utf8').catch(ignoreMissing);
  if (content === null) return null;
  const [pidText = '', since = '', inherited = '', ...marks] = content.split('\n');
  const pid = Number(pidText);
  const isReleased = marks.includes(RELEASED);
  const isHere = await countsHere(since);
  const isKnownDead = isReleased || (isHere && since !== (await startedAt(pid)));
  const isAlive = !isKnownDead && (isHere || (await isBeating(path, silentMs)));
  const before = inherited.split(' ').filter((killed) => killed !== '');
  // A lock in a folder that was copied, or that several containers see, may belong to an app that is still running.
  const killedRuns = isReleased ? before : isHere ? [...before, run] : [];
  return { run, path, pid, isHeld: marks.includes(HELD), isAlive, killedRuns };
}

/**
 * Returns whether the file's modification time changes within that time. Clocks are not compared, since the two
 * machines may differ.
 */
async function isBeating(path: string, silentMs: number): Promise<boolean> {
  const first = await modifiedAt(path);
  const deadline = performance.now() + silentMs;
  while (performance.now() < deadline) {
    const now = await modifiedAt(path);
    if (now === null) return false;
    if (now !== first) return true;
    await wait(Math.min(200, silentMs / 10));
  }
  return false;
}

/**
 * Returns null when the file is gone. It is opened first, because a network file system may report an older time for a
 * file that is not.
 */
async function modifiedAt(path: string): Promise<number | null> {
  const file = await open(path).catch(ignoreMissing);
  if (file === null) return null;
  try {
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}

/** Returns whether a process number with this start time refers to this boot and container. */
async function countsHere(since: string): Promise<boolean> {
  const [place = ''] = since.split(' ');
  return place !== '' && place === (await placeOfNumbers());
}

/**
 * Returns the start time of a process in clock ticks since boot, with the place where its number counts; empty without
 * /proc. Returns "ended" for a killed process that its parent has not waited for yet: its number still exists, but it
 * holds nothing.
 */
async function startedAt(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Fields 3 and 22 of proc(5); the name in field 2 may hold blanks and is closed by the last parenthesis.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'ended';
  return fields[19] === undefined ? '' : `${await placeOfNumbers()} ${fields[19]}`;
}

/**
 * Returns the boot of the machine and the container's process namespace: process numbers are unique only within both.
 */
async function placeOfNumbers(): Promise<string> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
  return boot && `${boot}/${await readlink('/proc/self/ns/pid').catch(() => '')}`;
}
