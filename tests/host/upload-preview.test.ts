import { expect, test } from 'vitest';
import { contextOf, createPublishingApp, sendSite } from '../support/publishing.ts';

const hostOf = (url: string) => new URL(url).hostname.replace('.localhost', '');

test('an upload is seen before it is a release once its owner asks, as it was then, and by its address alone', async () => {
  await using app = await createPublishingApp();
  const [person, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Harbour', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  const ctx = await contextOf(app, person);
  await expect(person.caller.releases.preview({ uploadId })).rejects.toMatchObject({ code: 'CONFLICT' });
  await sendSite(ctx, uploadId, { 'index.html': 'draft one', 'a/b.txt': 'beside it' });
  const host = `u--${uploadId}`;
  expect((await app.visit(host)).status).toBe(404);

  const { url } = await person.caller.releases.preview({ uploadId });
  expect(hostOf(url)).toBe(host);
  expect((await app.visit(host)).body.toString()).toBe('draft one');
  expect((await app.visit(host, '/a/b.txt')).body.toString()).toBe('beside it');
  await expect(stranger.caller.releases.preview({ uploadId })).rejects.toMatchObject({ code: 'NOT_FOUND' });

  await sendSite(ctx, uploadId, { 'index.html': 'draft two' });
  expect((await app.visit(host)).status).toBe(404);
  await person.caller.releases.preview({ uploadId });
  expect((await app.visit(host)).body.toString()).toBe('draft two');
  await person.caller.releases.create({ deploymentId, uploadId });
  expect((await app.visit(host)).status).toBe(404);
});
