import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DataFolder, openDataFolder, readOrMakeKeys } from '../../server/boot/data-folder.ts';
import { signalProcess } from '../../server/database/embedded/mongod-process.ts';
import { newKeys } from '../../server/lib/crypto/secrets.ts';
import { IS_FULL } from '../support/size.ts';

async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const ROUNDS = IS_FULL ? 10 : 3;
/** Nobody here is silent for so long; a test that waits for a silence waits for this one. */
const SILENT_MS = 400;

const openHere = (path: string, onLost: () => void = () => undefined): Promise<DataFolder> =>
  openDataFolder(path, { onLost, heartbeatMs: 20, silentMs: SILENT_MS });
const locksIn = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter((name) => name.endsWith('.lock'));

/** Returns the number of a process that has ended. */
async function endedPid(): Promise<number | undefined> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid;
}

/** Returns when this process began, as its lock says it. */
async function ownStart(path: string): Promise<string> {
  const data = await openHere(path);
  const [, since = ''] = (await readFile(join(path, `app.${data.run}.lock`), 'utf8')).split('\n');
  await data.release();
  return since;
}

test('the folder is made for its owner alone and locked until it is given back', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'deep', 'data');
  const data = await openHere(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await locksIn(path)).toEqual([`app.${data.run}.lock`]);
  await data.release();
  expect(await locksIn(path)).toEqual([]);
  await (await openHere(path)).release();
});

test('a second app on the same folder is refused with the number of the first', async () => {
  await using folder = await makeFolder();
  const first = await openHere(folder.path);
  await expect(openHere(folder.path)).rejects.toMatchObject({
    exitCode: 1,
    message: `DATA_DIR "${folder.path}" is in use by another Fairlead (process ${process.pid}); stop that one, or set DATA_DIR to another folder.`,
  });
  expect(await locksIn(folder.path)).toEqual([`app.${first.run}.lock`]);
  await first.release();
});

test('of many that start at once beside the lock of a dead one, exactly one gets the folder, every time', async () => {
  const dead = await endedPid();
  for (let round = 0; round < ROUNDS; round += 1) {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, 'app.dead.lock'), `${dead}\n\n\nheld\n`);
    const starts = await Promise.allSettled(Array.from({ length: 6 }, () => openHere(folder.path)));
    const held = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(held.map(({ run }) => `app.${run}.lock`)).toEqual(await locksIn(folder.path));
    expect(held).toHaveLength(1);
    await held[0]?.release();
  }
});

test('a run elsewhere holds the folder as long as its heart beats, and no longer', async () => {
  await using folder = await makeFolder();
  const lock = join(folder.path, 'app.elsewhere.lock');
  // The number is that of a running process here, and means nothing.
  await writeFile(lock, `${process.pid}\nanother-boot/another-container 12345\n\nheld\n`);
  const heart = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), 20);
  try {
    await expect(openHere(folder.path)).rejects.toThrow('is in use by another Fairlead');
  } finally {
    clearInterval(heart);
  }
  const data = await openHere(folder.path);
  expect(data.killedRuns).toEqual([]);
  expect(await locksIn(folder.path)).toEqual([`app.${data.run}.lock`]);
  await data.release();
});

test('a run that was taken for dead learns that the folder is no longer its own', async () => {
  await using folder = await makeFolder();
  let losses = 0;
  const data = await openHere(folder.path, () => {
    losses += 1;
  });
  await rm(join(folder.path, `app.${data.run}.lock`));
  await expect.poll(() => losses).toBe(1);
  await data.release();
});

// Only Linux tells one boot of the machine from another, and one process of a number from the next.
if (process.platform === 'linux') {
  test('whoever follows a killed run is told which one that was, also when a start in between fails', async () => {
    await using folder = await makeFolder();
    const since = await ownStart(folder.path);
    const killed = `${await endedPid()}\n${since.split(' ')[0]} 1\n\nheld\n`;
    await writeFile(join(folder.path, 'app.first.lock'), killed);
    const failed = await openHere(folder.path);
    expect(failed.killedRuns).toEqual(['first']);
    await failed.release();
    const second = await openHere(folder.path);
    expect(second.killedRuns).toEqual(['first']);
    second.forgetKilledRuns();
    await second.release();
    const third = await openHere(folder.path);
    expect(third.killedRuns).toEqual([]);
    await third.release();
  });

  test('the lock of a process whose number was given to another since is taken over at once', async () => {
    await using folder = await makeFolder();
    const [place = ''] = (await ownStart(folder.path)).split(' ');
    await writeFile(join(folder.path, 'app.earlier.lock'), `${process.pid}\n${place} 1\n\nheld\n`);
    const data = await openDataFolder(folder.path, { onLost: () => undefined, silentMs: 3_600_000 });
    expect(data.killedRuns).toEqual(['earlier']);
    await data.release();
  });

  test('the lock of a killed process that its parent has not waited for is taken over', async () => {
    await using folder = await makeFolder();
    const script = `import(${JSON.stringify(join(import.meta.dirname, '../../server/boot/data-folder.ts'))})
    .then((m) => m.openDataFolder(process.argv[1], { onLost: () => process.exit(1) }))
    .then(() => { console.log(process.pid); setInterval(() => {}, 1000); });`;
    // The shell becomes a program that never asks after its child.
    const parent = spawn('sh', [
      '-c',
      '"$0" --import tsx --eval "$1" "$2" & exec sleep 600',
      process.execPath,
      script,
      folder.path,
    ]);
    const pid = Number(String((await once(parent.stdout, 'data'))[0]).trim());
    await expect(openHere(folder.path)).rejects.toThrow(`process ${pid}`);

    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    await (await openHere(folder.path)).release();
    parent.kill('SIGKILL');
  });
}

test('a signal to a process that has ended meanwhile says so and does not throw', async () => {
  const pid = await endedPid();
  expect(signalProcess(pid ?? 0, 'SIGTERM')).toBe(false);
});

test('a path that is a file is refused with the path', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'file');
  await writeFile(path, '');
  await expect(openHere(path)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining(`DATA_DIR is "${path}", which cannot be written`),
  });
});

test('keys are made once, for the owner alone, and found again', async () => {
  await using folder = await makeFolder();
  const made = await readOrMakeKeys(folder.path, undefined, false);
  expect((await stat(join(folder.path, 'keys.json'))).mode & 0o777).toBe(0o600);
  expect(await readOrMakeKeys(folder.path, undefined, true)).toEqual(made);
});

test('keys of the environment come first and write no file', async () => {
  await using folder = await makeFolder();
  const given = newKeys();
  expect(await readOrMakeKeys(folder.path, given, true)).toBe(given);
  expect(await isThere(join(folder.path, 'keys.json'))).toBe(false);
});

test('a missing key file beside a database with data is refused, and none is made', async () => {
  await using folder = await makeFolder();
  await expect(readOrMakeKeys(folder.path, undefined, true)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('is missing although the database has data'),
  });
  expect(await isThere(join(folder.path, 'keys.json'))).toBe(false);
});

test('a key file that others can read, that is damaged, or that is a folder is refused', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'keys.json');
  await readOrMakeKeys(folder.path, undefined, false);
  await chmod(path, 0o640);
  await expect(readOrMakeKeys(folder.path, undefined, true)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('(mode 0640); run chmod 600'),
  });
  await chmod(path, 0o600);
  await writeFile(path, '{"current":');
  await expect(readOrMakeKeys(folder.path, undefined, true)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('is damaged'),
  });
  await rm(path);
  await mkdir(path);
  await expect(readOrMakeKeys(folder.path, undefined, true)).rejects.toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('cannot be read (EISDIR)'),
  });
});
