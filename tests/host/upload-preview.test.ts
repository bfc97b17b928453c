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

test('drafts that were looked at a moment ago leave room for the next, and what is being sent does not', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Harbour', platform: 'built-in' });
  const ctx = await contextOf(app, person);
  const hosts: string[] = [];
  for (const text of ['one', 'two', 'three', 'four']) {
    const { uploadId } = await person.caller.releases.prepare({ deploymentId });
    await sendSite(ctx, uploadId, { 'index.html': text });
    hosts.push(hostOf((await person.caller.releases.preview({ uploadId })).url));
  }
  const seen = await Promise.all(hosts.map(async (host) => (await app.visit(host)).status));
  expect(seen).toEqual([404, 200, 200, 200]);
  for (let count = 1; count <= 3; count += 1) await person.caller.releases.prepare({ deploymentId });
  await expect(person.caller.releases.prepare({ deploymentId })).rejects.toThrow(
    '3 uploads are open, which is the limit',
  );
});
