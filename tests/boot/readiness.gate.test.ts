import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createReadiness } from '../../server/boot/readiness.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';

const HEARD = { silentMs: () => 0 };

async function makeStore() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-ready-'));
  const store = await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() });
  return { store, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

test('a store that hangs is asked once, however many ask, and is well again as soon as it answers', async () => {
  await using made = await makeStore();
  const disk = new EventTarget();
  let asked = 0;
  let isHanging = true;
  const store = {
    ...made.store,
    async check() {
      asked += 1;
      if (isHanging) await once(disk, 'back');
      await made.store.check();
    },
  };
  const readiness = createReadiness({ store, worker: HEARD, isServing: () => false });

  const reports = await Promise.all(Array.from({ length: 5 }, () => readiness.check()));
  expect(reports.map(({ parts }) => parts.store)).toEqual(Array.from({ length: 5 }, () => 'unavailable'));
  expect(asked).toBe(1);

  isHanging = false;
  const next = readiness.check();
  disk.dispatchEvent(new Event('back'));
  expect((await next).parts.store).toBe('ok');
  expect((await readiness.check()).parts.store).toBe('ok');
});

test('a pause of the process is no trouble of the store', async () => {
  await using made = await makeStore();
  const report = createReadiness({ store: made.store, worker: HEARD, isServing: () => true }).check();
  // Nothing of this process goes on meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
  expect((await report).parts.store).toBe('ok');
});

test('a store that is gone is noticed, though the clock of the machine was set back by a day', async () => {
  await using made = await makeStore();
  const readiness = createReadiness({ store: made.store, worker: HEARD, isServing: () => true });
  expect((await readiness.check()).parts.store).toBe('ok');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 24 * 3_600_000 });
  try {
    await made[Symbol.asyncDispose]();
    await expect.poll(async () => (await readiness.check()).parts.store).toBe('unavailable');
  } finally {
    vi.useRealTimers();
  }
});

test('a worker that nobody has heard of for longer than it is ever silent is not ready, and is again once it is heard', async () => {
  await using made = await makeStore();
  let silentMs = 30_001;
  const readiness = createReadiness({ store: made.store, worker: { silentMs: () => silentMs }, isServing: () => true });

  expect(await readiness.check()).toMatchObject({ isReady: false, parts: { store: 'ok', worker: 'unavailable' } });

  silentMs = 100;
  await expect.poll(() => readiness.check()).toMatchObject({ isReady: true, parts: { worker: 'ok' } });
});
