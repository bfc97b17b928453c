import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Content, contentsNewSince, contentsOf, sendFiles } from '../../server/publishing/platforms/send-files.ts';
import { platformHarness } from '../support/platform-harness.ts';

const AT_ONCE = 8;

function contents(count: number): Content[] {
  return Array.from({ length: count }, (_, index) => ({
    path: `${index}`,
    sha256: `${index}`,
    sizeBytes: 1,
    copies: 1,
  }));
}

test('a content is new when the previous release has it under no path, however many share it now', () => {
  const release = (files: Record<string, string>) =>
    new Map(Object.entries(files).map(([path, sha256]) => [path, { sha256, sizeBytes: 1 }]));
  const next = contentsOf(release({ same: 'a', moved: 'b', new: 'c', twin: 'c', swapped: 'd', other: 'e' }));
  const previous = release({ same: 'a', before: 'b', swapped: 'e', other: 'd' });
  expect(contentsNewSince(next, previous)).toEqual([{ path: 'new', sha256: 'c', sizeBytes: 1, copies: 2 }]);
  expect(contentsNewSince(next, undefined)).toEqual(next);
});

test('a content under two paths is sent once, and counted as two files with the bytes of two', async () => {
  await using harness = await platformHarness();
  const all = contents(2).map((content) => ({ ...content, copies: 2 }));
  const events: unknown[] = [];
  const sending = sendFiles(harness.call, {
    contents: all,
    missing: all.slice(1),
    atOnce: AT_ONCE,
    send: async () => {},
  });
  for await (const event of sending) events.push(event);
  const counts = { type: 'uploading', total: 4, totalBytes: 4 };
  expect(events).toEqual([
    { ...counts, done: 2, doneBytes: 2 },
    { ...counts, done: 4, doneBytes: 4 },
  ]);
});

test('fewer files are sent at once after a refusal, and more again with each that went through', async () => {
  await using harness = await platformHarness();
  const all = contents(100);
  const beside: number[] = [];
  let active = 0;
  const sending = sendFiles(harness.call, {
    contents: all,
    missing: all,
    atOnce: AT_ONCE,
    async send({ path }, call) {
      active += 1;
      beside.push(active);
      if (path === '20') for (let tried = 0; tried < 3; tried += 1) await call.wait(1_000, call.signal);
      await turn();
      active -= 1;
    },
  });
  for await (const _event of sending);
  expect(beside).toHaveLength(100);
  expect(Math.max(...beside)).toBe(AT_ONCE);
  expect(Math.max(...beside.slice(22, 26))).toBeLessThan(AT_ONCE);
  expect(Math.max(...beside.slice(60))).toBe(AT_ONCE);
});

test('fewer large files are held at once than small ones, and all are sent', async () => {
  await using harness = await platformHarness();
  const all = contents(40).map((content) => ({ ...content, sizeBytes: 1024 ** 2 }));
  const beside: number[] = [];
  let active = 0;
  const sending = sendFiles(harness.call, {
    contents: all,
    missing: all,
    atOnce: AT_ONCE,
    async send() {
      active += 1;
      beside.push(active);
      await turn();
      active -= 1;
    },
  });
  for await (const _event of sending);
  expect(beside).toHaveLength(40);
  expect(Math.max(...beside)).toBe(AT_ONCE / 4);
});

test('the first file that cannot be sent ends the others, and those that wait for their turn', async () => {
  await using harness = await platformHarness();
  const all = contents(40);
  let sent = 0;
  const sending = sendFiles(harness.call, {
    contents: all,
    missing: all,
    atOnce: AT_ONCE,
    async send({ path }) {
      sent += 1;
      await turn();
      if (path === '3') throw new Error('refused');
    },
  });
  const whole = async (): Promise<void> => {
    for await (const _event of sending);
  };
  await expect(whole()).rejects.toThrow('refused');
  await turn();
  expect(sent).toBeLessThan(40);
});

test('however many files are sent at once, Node suspects no leak of listeners', async () => {
  await using harness = await platformHarness();
  const all = contents(50);
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  const sending = sendFiles(harness.call, {
    contents: all,
    missing: all,
    atOnce: all.length,
    send: async (_content, { signal }) => void (await wait(10, undefined, { signal })),
  });
  for await (const _event of sending);
  await turn();
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});
