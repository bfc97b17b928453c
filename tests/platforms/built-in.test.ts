import { expect, test } from 'vitest';
import { builtIn } from '../../server/platforms/built-in/index.ts';
import { platforms } from '../../server/platforms/index.ts';
import { platformBench, published } from '../support/platform-bench.ts';
import { platformSuite } from '../support/platform-suite.ts';

await platformSuite('built-in', async () => ({
  platform: builtIn,
  world: null,
  [Symbol.asyncDispose]: async () => undefined,
}));

test('the registry knows the built-in host', () => {
  expect(platforms['built-in']).toBe(builtIn);
});

test('the reference is known before anything is looked at', async () => {
  await using bench = await platformBench();
  const request = await bench.release(7, { 'index.html': 'x' });
  await bench.store.remove(request.manifest.get('index.html')?.sha256 ?? '');
  const first = await builtIn.publish(bench.call, request).next();
  expect(first.value).toEqual({
    type: 'ref',
    ref: { releaseId: request.release.id, manifestHash: request.manifestHash },
  });
});

test('a file of another size than its manifest says stops the release', async () => {
  await using bench = await platformBench();
  const request = await bench.release(1, { 'index.html': 'four' });
  const sha256 = request.manifest.get('index.html')?.sha256 ?? '';
  const manifest = new Map([['index.html', { sha256, sizeBytes: 5 }]]);
  await expect(published(builtIn, bench.call, { ...request, manifest })).rejects.toMatchObject({
    code: 'artifact_damaged',
  });
});

test('a release whose files are no longer kept cannot be restored', async () => {
  await using bench = await platformBench();
  const request = await bench.release(1, { 'index.html': 'x' });
  const { ref } = await published(builtIn, bench.call, request);
  await bench.store.remove(request.manifestHash);
  await expect(builtIn.restore?.(bench.call, ref)).rejects.toMatchObject({ code: 'platform_failed' });
});
