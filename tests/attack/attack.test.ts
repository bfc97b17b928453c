import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SEED } from '../support/random.ts';
import { IS_FULL } from '../support/size.ts';
import { attack, endSharedApp, sharedApp, type Target } from './support/attack.ts';

/**
 * Attacks the built product with what is made from a seed, while another client uses it. A new kind of attack is a file
 * in `targets/`. How long the event loop is held is judged in the full counts alone, which have the machine for
 * themselves.
 */
const GROWN_MAX_MIB = 64;
const DELAY_MAX_MS = 250;
const DELAY_P99_MAX_MS = 50;

const files = import.meta.glob<{ target: Target }>('./targets/*.ts', { eager: true });
const targets = Object.values(files)
  .map(({ target }) => target)
  .filter(({ isFullOnly }) => IS_FULL || isFullOnly !== true);

// With all that it talks to, it takes 40 seconds to start beside the other tests of the gate.
beforeAll(async () => void (await sharedApp()), 300_000);
// Tried again in the same app, an attack would find its own accounts and domains there.
afterEach(({ task }) => (task.result?.state === 'fail' ? endSharedApp() : undefined));
afterAll(endSharedApp);

test.each(targets)('$name: nobody else is disturbed, and nothing stays behind', async (target) => {
  const { attacked, before } = await sharedApp();

  const outcome = await attack(attacked, target, before, SEED);

  const { isSameProcess, failedQuestions, faults, grown, delay } = outcome;
  process.stdout.write(`${outcome.summary} (TEST_SEED=${SEED})\n`);
  expect({ isSameProcess, failedQuestions, faults }).toEqual({ isSameProcess: true, failedQuestions: [], faults: [] });
  expect(grown.heapMiB).toBeLessThanOrEqual(GROWN_MAX_MIB);
  expect(grown.bufferMiB).toBeLessThanOrEqual(GROWN_MAX_MIB);
  if (IS_FULL) {
    expect(delay.maxMs).toBeLessThanOrEqual(DELAY_MAX_MS);
    expect(delay.p99Ms).toBeLessThanOrEqual(DELAY_P99_MAX_MS);
  }
});
