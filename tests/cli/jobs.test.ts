import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runningFolder } from '../../server/cli/jobs.ts';

/** Lets a process run that names the folder as a `mongod` on it does. */
async function runsOn(dataDir: string): Promise<AsyncDisposable> {
  const dbPath = join(dataDir, 'mongo', 'data');
  const shell = spawn('/bin/sh', ['-c', 'read -r _', dbPath], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(shell, 'spawn');
  await mkdir(dbPath, { recursive: true });
  await writeFile(join(dbPath, 'mongod.lock'), `${shell.pid}\n`);
  return {
    async [Symbol.asyncDispose]() {
      shell.stdin.end();
      await once(shell, 'close');
    },
  };
}

test('a command finds the one running database among the data folders, and asks which when there are several', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'fairlead-jobs-'));
  const folders = ['data', 'one', 'two'].map((name) => join(parent, name));
  const [, one = '', two = ''] = folders;
  try {
    expect(await runningFolder(folders), 'before any start').toBeUndefined();
    await using _first = await runsOn(one);
    expect(await runningFolder(folders)).toBe(one);
    await using _second = await runsOn(two);
    await expect(runningFolder(folders)).rejects.toThrow(`"${one}", "${two}". Set DATA_DIR to one of them.`);
  } finally {
    await rm(parent, { recursive: true });
  }
});
