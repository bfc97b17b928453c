import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program } from '../support/program.ts';

const run = promisify(execFile);
/** The texts of one case come to 75 MB. */
const HEAP_MB = 32;

/** Runs a case of tests/support/host-memory.ts with a small heap: rejects when that runs out. */
function runInSmallHeap(name: string) {
  return run(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...program('host-memory'), name]);
}

test.each([
  'invalid host names',
  'addresses with a host name in them',
  'queries of pages with rules',
  'pages with rules',
])('five thousand long requests leave nothing behind: %s', async (name) => {
  expect((await runInSmallHeap(name)).stdout).toBe('done\n');
});

test('the small heap ends a program that keeps what it is sent', async () => {
  await expect(runInSmallHeap('a planted leak')).rejects.toMatchObject({
    stderr: expect.stringContaining('JavaScript heap out of memory'),
  });
});
