import { expect, test } from 'vitest';
import { ArtifactModel } from '../../server/models/artifact.ts';
import { UploadModel } from '../../server/models/upload.ts';
import type { AccountContext } from '../../server/service-context.ts';
import { receiveManifest, receiveZip } from '../../server/services/uploads/index.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { contextOf, manifestOf, type Site, sendSite } from '../support/publishing.ts';
import { writeZip } from '../support/zip-writer.ts';

const LIMIT = { limits: { accountBytes: 100 } };
const HALF = { 'index.html': 'a'.repeat(40), 'twin.html': 'a'.repeat(40), 'other.html': 'b'.repeat(20) };
const LARGE = { 'index.html': 'c'.repeat(60) };

async function prepared(app: TestApp, person: Person): Promise<{ ctx: AccountContext; uploadId: string }> {
  return { ctx: await contextOf(app, person), uploadId: (await person.caller.releases.prepare()).uploadId };
}

async function announce(app: TestApp, person: Person, site: Site) {
  const { ctx, uploadId } = await prepared(app, person);
  return receiveManifest(ctx, uploadId, { files: manifestOf(site) });
}

async function sendZip(app: TestApp, person: Person, site: Site) {
  const { ctx, uploadId } = await prepared(app, person);
  const bytes = writeZip(Object.entries(site).map(([name, data]) => ({ name, data })));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const { signal } = new AbortController();
  return receiveZip(ctx, uploadId, { body: body(), contentLength: bytes.length, publishAnyway: [], signal });
}

test('what an account stores has a limit, in which each content counts once', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.person();
  const { ctx, uploadId } = await prepared(app, person);
  await sendSite(ctx, uploadId, HALF);
  expect((await sendSite(ctx, uploadId, HALF)).missing).toEqual([]);

  await expect(receiveManifest(ctx, uploadId, { files: manifestOf(LARGE) })).rejects.toMatchObject({
    code: 'quota_exhausted',
    message: 'An account can store 100 bytes: 60 bytes are used, and 60 bytes would be added.',
    hint: expect.stringMatching(/^Remove deployments that are not needed any more/),
  });
  expect(await UploadModel.findOne({ _id: uploadId, accountId: person.user.id })).toMatchObject({ fileCount: 3 });
  const fitting = { ...HALF, 'more.html': 'd'.repeat(40) };
  expect((await receiveManifest(ctx, uploadId, { files: manifestOf(fitting) })).missing).toHaveLength(1);
  // What was announced and has not come yet is taken as well.
  await expect(announce(app, person, { 'index.html': 'e' })).rejects.toMatchObject({ code: 'quota_exhausted' });
  expect((await announce(app, person, fitting)).missing).toHaveLength(1);
  expect((await announce(app, await app.person(), LARGE)).missing).toHaveLength(1);
});

test('of two uploads at once that fit alone and not together, one is refused', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.person();
  const sites = ['x', 'y'].map((letter) => ({ 'index.html': letter.repeat(60) }));
  const both = await Promise.all(sites.map(async (site) => ({ ...(await prepared(app, person)), site })));
  const answers = await Promise.allSettled(
    both.map(({ ctx, uploadId, site }) => receiveManifest(ctx, uploadId, { files: manifestOf(site) })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'quota_exhausted' } });
});

test('a ZIP that finds no room is refused, and nothing of it counts', async () => {
  await using app = await createTestApp(LIMIT);
  const person = await app.person();
  await sendZip(app, person, HALF);
  await expect(sendZip(app, person, LARGE)).rejects.toMatchObject({ code: 'quota_exhausted' });
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(2);
  expect((await sendZip(app, person, { ...HALF, 'more.html': 'd'.repeat(40) })).missing).toEqual([]);
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(3);
});

test('the sum of what an account stores is read from an index', async () => {
  await using app = await createTestApp(LIMIT);
  const { user } = await app.person();
  const plan = await ArtifactModel.aggregate([
    { $match: { accountId: user.id } },
    { $group: { _id: null, sizeBytes: { $sum: '$sizeBytes' } } },
  ])
    .hint('account_size')
    .explain();
  expect(JSON.stringify(plan)).not.toContain('"FETCH"');
});
