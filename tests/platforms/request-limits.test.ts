import { expect, test } from 'vitest';
import { platformHarness, published } from '../support/platform-harness.ts';
import { countRequests, MINUTE_MS } from '../support/standins/limits.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';

/** More than the 500 requests that Netlify takes in a minute. */
const FILES = 520;

test('a stand-in has room for so many requests in a time, and says when there is room again', () => {
  const counts = ({ method }: { method: string }) => method === 'POST';
  const refusal = (waitMs: number) => ({ status: 429, body: { waitMs } });
  const counter = countRequests([{ most: 2, inMs: MINUTE_MS, counts, refusal }]);
  const post = { method: 'POST', path: '/sites' };
  expect([counter.take(post, 0), counter.take(post, 10_000)]).toEqual([null, null]);
  expect(counter.take({ method: 'GET', path: '/sites' }, 20_000)).toBe(null);
  expect(counter.take(post, 20_000)).toEqual({
    reply: { status: 429, body: { waitMs: 40_000 } },
    why: 'POST /sites came when 2 had come in 60 s',
  });
  expect(counter.take(post, MINUTE_MS)).toBe(null);
});

test('more files than Netlify takes requests in a minute go up over several, and the site is whole', async () => {
  await using subject = await netlifyUnderTest();
  await using harness = await platformHarness();
  const { platform, world, standIn } = subject;
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`${index}.txt`, `file ${index}`]));
  const request = await harness.release(1, { 'index.html': 'one', ...files });
  const { ref } = await published(platform, harness.call, request, world);
  expect((await platform.release(harness.call, ref)).state).toBe('verifying');
  expect(standIn.state.blobs.size).toBe(FILES + 1);
  expect(standIn.drift.length).toBeGreaterThan(0);
  for (const noted of standIn.drift) expect(noted).toContain('came when 500 had come in 60 s');
});
