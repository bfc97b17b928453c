import { expect, test } from 'vitest';
import { PLATFORM_IDS } from '../../routers/schemas/platforms/ids.ts';
import { builtIn } from '../../server/publishing/platforms/built-in/index.ts';
import { platformHarness, published } from '../support/platform-harness.ts';
import { platformSuite } from '../support/platform-suite.ts';
import { platforms } from '../support/platforms.ts';

await platformSuite('built-in', async () => ({
  platform: builtIn,
  world: null,
  [Symbol.asyncDispose]: async () => undefined,
}));

test('there is an adapter for every platform but the simulated one, under its own name', () => {
  expect(Object.keys(platforms)).toEqual(PLATFORM_IDS.filter((id) => id !== 'simulated'));
  for (const [id, platform] of Object.entries(platforms)) expect(platform.id).toBe(id);
});

test('the reference is known before anything is looked at', async () => {
  await using harness = await platformHarness();
  const request = await harness.release(7, { 'index.html': 'x' });
  await harness.store.remove(request.manifest.get('index.html')?.sha256 ?? '');
  const first = await builtIn.publish(harness.call, request).next();
  expect(first.value).toEqual({
    type: 'ref',
    ref: { releaseId: request.release.id, manifestHash: request.manifestHash },
  });
});

test('a file of another size than its manifest says stops the release', async () => {
  await using harness = await platformHarness();
  const request = await harness.release(1, { 'index.html': 'four' });
  const sha256 = request.manifest.get('index.html')?.sha256 ?? '';
  const manifest = new Map([['index.html', { sha256, sizeBytes: 5 }]]);
  await expect(published(builtIn, harness.call, { ...request, manifest })).rejects.toMatchObject({
    code: 'artifact_corrupted',
  });
});

test('a release whose files are no longer kept cannot be restored', async () => {
  await using harness = await platformHarness();
  const request = await harness.release(1, { 'index.html': 'x' });
  const { ref } = await published(builtIn, harness.call, request);
  await harness.store.remove(request.manifestHash);
  await expect(builtIn.restore?.(harness.call, { ref, actId: 'a' }).next()).rejects.toMatchObject({
    code: 'platform_failed',
  });
});
