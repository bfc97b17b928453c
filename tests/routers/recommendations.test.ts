import { expect, test } from 'vitest';
import { receiveManifest } from '../../server/publishing/uploads/index.ts';
import { contextOf, createPublishingApp, manifestOf, sendSite } from '../support/publishing.ts';

const PACKAGE = JSON.stringify({ devDependencies: { astro: '5' } });

test('an upload is read by its names and manifests, and ranked', async () => {
  await using app = await createPublishingApp();
  const person = await app.person();
  const { uploadId } = await person.caller.releases.prepare();
  await sendSite(await contextOf(app, person), uploadId, { 'index.html': 'a', '_astro/a.css': 'b' });
  const ranking = await person.caller.recommendations.rank({ uploadId });
  expect(ranking).toMatchObject({ kind: 'built', framework: 'Astro' });
  expect(ranking.items[0]).toMatchObject({ platform: 'built-in', fits: true });
  expect(ranking.items[0]?.reasons.map(({ text }) => text)).toContain(
    '2 files (limit 20,000); 2 B (limit 1 GB); largest file 1 B (limit 500 MB).',
  );
  const secret = await person.caller.recommendations.rank({ uploadId, needs: { privateFiles: true } });
  expect(secret.items.filter(({ fits }) => !fits).map(({ platform }) => platform)).toEqual(['github-pages', 'render']);
});

test('without an upload the needs alone are asked', async () => {
  await using app = await createPublishingApp();
  const { caller } = await app.person();
  const ranking = await caller.recommendations.rank({ needs: { redirects: true } });
  expect(ranking).toMatchObject({ kind: null, framework: null });
  expect(ranking.items).toHaveLength(7);
  expect((await caller.recommendations.rank()).items).toHaveLength(7);
});

test('before the list of files is here, nothing can be ranked', async () => {
  await using app = await createPublishingApp();
  const { caller } = await app.person();
  const { uploadId } = await caller.releases.prepare();
  await expect(caller.recommendations.rank({ uploadId })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a text that another account stored tells nothing to who merely names its hash', async () => {
  await using app = await createPublishingApp();
  const [owner, stranger] = [await app.person(), await app.person()];
  const site = { 'package.json': PACKAGE, 'src/a.md': 'a' };
  const { uploadId } = await owner.caller.releases.prepare();
  await sendSite(await contextOf(app, owner), uploadId, site);
  expect(await owner.caller.recommendations.rank({ uploadId })).toMatchObject({ kind: 'source', framework: 'Astro' });

  const named = await stranger.caller.releases.prepare();
  await receiveManifest(await contextOf(app, stranger), named.uploadId, { files: manifestOf(site) });
  const ranking = await stranger.caller.recommendations.rank({ uploadId: named.uploadId });
  expect(ranking).toMatchObject({ kind: 'unknown', framework: null });
});
