import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newKeys } from '../../server/secrets.ts';
import { openDataFolder, readOrMakeKeys, removeStale } from '../../server/start/data-folder.ts';

async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-data-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

test('the folder is made for its owner alone and locked until it is given back', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'deep', 'data');
  const data = await openDataFolder(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(path, 'app.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`));
  await data.unlock();
  expect(await isThere(join(path, 'app.lock'))).toBe(false);
  await (await openDataFolder(path)).unlock();
});

test('a second app on the same folder is refused with the number of the first', async () => {
  await using folder = await makeFolder();
  await openDataFolder(folder.path);
  await expect(openDataFolder(folder.path)).rejects.toMatchObject({
    exitCode: 1,
    message: `DATA_DIR "${folder.path}" is in use by another Fairlead (process ${process.pid}); stop that one, or set DATA_DIR to another folder.`,
  });
  expect(await readFile(join(folder.path, 'app.lock'), 'utf8')).toMatch(new RegExp(`^${process.pid}\n`));
});

test('the lock of a process that is gone is taken over', async () => {
  await using folder = await makeFolder();
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  await writeFile(join(folder.path, 'app.lock'), `${child.pid}\n\n`);
  await (await openDataFolder(folder.path)).unlock();
});

// Only Linux tells one boot of the machine from another.
if (process.platform === 'linux') {
  test('whoever takes the lock of a killed run over is told which one that was, unless it ran elsewhere', async () => {
    await using folder = await makeFolder();
    const lock = join(folder.path, 'app.lock');
    const first = await openDataFolder(folder.path);
    expect(first.killedRun).toBeNull();
    const [, since = ''] = (await readFile(lock, 'utf8')).split('\n');
    const child = spawn(process.execPath, ['--eval', '']);
    await once(child, 'exit');

    await writeFile(lock, `${child.pid}\n${since}\n${first.run}\n`);
    const second = await openDataFolder(folder.path);
    expect([second.killedRun, second.run === first.run]).toEqual([first.run, false]);
    await second.unlock();
    const third = await openDataFolder(folder.path);
    expect(third.killedRun).toBeNull();

    for (const elsewhere of [`another-boot ${since.split(' ')[1]}`, '']) {
      await writeFile(lock, `${child.pid}\n${elsewhere}\n${first.run}\n`);
      const taken = await openDataFolder(folder.path);
      expect(taken.killedRun).toBeNull();
      await taken.unlock();
    }
  });
}

test('the lock of a process whose number was given to another since is taken over', async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, 'app.lock'), `${process.pid}\nanother-boot 12345\n`);
  await (await openDataFolder(folder.path)).unlock();
});

// Only Linux tells that a process is dead and not buried.
if (process.platform === 'linux') {
  test('the lock of a killed process that nobody has buried is taken over', async () => {
    await using folder = await makeFolder();
    const script = `import(${JSON.stringify(join(import.meta.dirname, '../../server/start/data-folder.ts'))})
    .then((m) => m.openDataFolder(process.argv[1]))
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
    await expect(openDataFolder(folder.path)).rejects.toThrow(`process ${pid}`);

    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    await (await openDataFolder(folder.path)).unlock();
    parent.kill('SIGKILL');
  });
}

test('a lock that was put there since the stale one was judged stays', async () => {
  await using folder = await makeFolder();
  const [lock, moved] = [join(folder.path, 'app.lock'), join(folder.path, 'moved')];
  await writeFile(lock, 'fresh');
  await removeStale(lock, 'stale', moved);
  expect(await readFile(lock, 'utf8')).toBe('fresh');
  expect(await isThere(moved)).toBe(false);
  await removeStale(lock, 'fresh', moved);
  expect([await isThere(lock), await isThere(moved)]).toEqual([false, false]);
});

test('of many that start at once on a stale lock, exactly one gets the folder', async () => {
  await using folder = await makeFolder();
  await writeFile(join(folder.path, 'app.lock'), '999999999\n\n');
  const script = `import(${JSON.stringify(join(import.meta.dirname, '../../server/start/data-folder.ts'))})
    .then((m) => m.openDataFolder(process.argv[1]))
    .then(() => { console.log('held'); setInterval(() => {}, 1000); }, (error) => { console.log(error.exitCode); });`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--import', 'tsx', '--eval', script, folder.path]),
  );
  const answers = await Promise.all(
    children.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim()),
  );
  for (const child of children) child.kill('SIGKILL');
  expect(answers.sort()).toEqual(['1', '1', '1', 'held']);
});

test('a path that is a file is refused with the path', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'file');
  await writeFile(path, '');
  await expect(openDataFolder(path)).rejects.toMatchObject({
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
