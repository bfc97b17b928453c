import { expect, test, vi } from 'vitest';
import { startInternet } from '../support/hostile-internet.ts';

const { signal } = new AbortController();

// The product's wait for an answer by UDP, in which nothing is computed, and the one here.
const PRODUCT_MS = 1_500;
const HERE_MS = 500;

test.each([
  ['questions for CAA', () => ({}), 'evil.test'],
  ['all questions', () => null, null],
])('name servers that drop %s are told from those out of reach', async (_, other, muteZone) => {
  const { setTimeout } = globalThis;
  using waits = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work, ms) => setTimeout(work, ms === PRODUCT_MS ? HERE_MS : ms));
  await using internet = await startInternet(({ type }) => (type === 'CAA' ? null : other()));
  await expect(internet.client.caaOf('evil.test', signal)).rejects.toMatchObject({ muteZone });
  expect(waits).toHaveBeenCalledWith(expect.any(Function), PRODUCT_MS);
});
