import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { readReleaseFiles } from '../../routers/schemas/release-files.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId } from '../../server/database/mongo.ts';
import { receiveFile, receiveManifest } from '../../server/publishing/uploads/index.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';
import { contextOf, sha256Of, startRelease } from '../support/publishing.ts';

/** Odd but honest names, an empty file, one folder around everything, and rules of the host. */
const SITE = {
  'only/index.html': '<h1>Grüße</h1>',
  'only/[...slug].html': 'slug',
  'only/日本語/😀.txt': 'emoji',
  'only/100%.html': 'percent',
  'only/q?#.html': 'query',
  'only/empty.txt': '',
  'only/_redirects': '/a /b 301',
  'only/__proto__/x': 'proto',
  'only/writtenin:Ruby/index.html': 'colon',
  'only/docs/aux.html': 'device',
  'only/acme-inc./index.html': 'dot',
  'only/Menu /index.html': 'space',
  'only/tags/.net/index.html': 'hidden folder',
  'only/Pair.v.html': 'small',
  'only/Pair.V.html': 'large',
  [`only/b${'長'.repeat(83)}.html`]: '255 bytes',
  'only/gpg.key': '-----BEGIN PGP PUBLIC KEY BLOCK-----',
};

const bearer = (person: Person) => ({ authorization: `Bearer ${person.accessToken}` });
const fetchZip = (listener: Listening, path: string, headers: Record<string, string> = {}) =>
  fetch(`${listener.url}${path}`, { headers });

async function released(app: TestApp, person: Person, name = 'Größe "1"') {
  const deployment = await person.caller.deployments.create({ name, platform: 'built-in' });
  return { deployment, release: await startRelease(app, person, deployment, SITE) };
}

const theApp = shareApp();

test('a release comes down as a ZIP that others read, by a link of its own and by a token', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const { deployment, release } = await released(app, person);

  const link = await person.caller.releases.download({ releaseId: release.id });
  expect(link).toMatchObject({
    fileName: 'Größe "1" 1.zip',
    notices: [
      {
        code: 'windows_name',
        message: '5 names do not work on Windows.',
        paths: expect.arrayContaining(['only/docs/aux.html']),
      },
      { code: 'case_twin', paths: expect.arrayContaining(['only/Pair.v.html', 'only/Pair.V.html']) },
    ],
  });
  const answer = await fetchZip(listener, link.url);
  const zip = Buffer.from(await answer.arrayBuffer());

  expect(answer.status).toBe(200);
  expect(zip.length).toBe(link.sizeBytes);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(link.sizeBytes),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `attachment; filename="${deployment.slug}-1.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20-1-%201.zip`,
  });
  const again = await fetchZip(listener, `/api/releases/${release.id}/download`, bearer(person));
  expect(Buffer.from(await again.arrayBuffer()).equals(zip)).toBe(true);
  const found: Record<string, string> = {};
  const reader = await fromBufferPromise(zip, { lazyEntries: true });
  for await (const entry of reader.eachEntry()) {
    found[entry.fileName] = await text(await reader.openReadStreamPromise(entry));
  }
  expect(found).toEqual(
    Object.fromEntries(Object.entries(SITE).map(([path, content]) => [`${deployment.slug}-1/${path}`, content])),
  );
});

test('what was downloaded and is sent again makes the same list of files', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const { deployment, release } = await released(app, person, 'Round trip');
  const zip = await (await fetchZip(listener, `/api/releases/${release.id}/download`, bearer(person))).arrayBuffer();
  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  const sent = await fetch(`${listener.url}/api/uploads/${uploadId}/zip`, {
    method: 'POST',
    body: zip,
    headers: { ...bearer(person), 'content-type': 'application/zip' },
  });
  expect(await sent.json()).toMatchObject({ missing: [], leftOut: [] });
  await person.caller.releases.cancel({ releaseId: release.id });
  const second = await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  const [one, two] = await ReleaseModel.find({ _id: { $in: [release.id, second.id] }, accountId: person.user.id });
  expect(two?.manifestHash).toBe(one?.manifestHash);
});

test('a large file goes through in pieces, and the same release is the same ZIP to the byte', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Large', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare();
  const ctx = await contextOf(app, person);
  const large = randomBytes(5_000_001);
  await receiveManifest(ctx, uploadId, {
    files: [{ path: 'a.bin', sha256: sha256Of(large), sizeBytes: large.length }],
  });
  async function* body(): AsyncGenerator<Uint8Array> {
    yield large;
  }
  await receiveFile(ctx, uploadId, { sha256: sha256Of(large), body: body(), contentLength: large.length });
  const { id } = await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  const [one, two] = await Promise.all(
    [1, 2].map(async () =>
      Buffer.from(await (await fetchZip(listener, `/api/releases/${id}/download`, bearer(person))).arrayBuffer()),
    ),
  );
  expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
  expect(one?.includes(large)).toBe(true);
});

test('a link works for its release, for a minute, and as it was made; everybody else hears of nothing', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const [person, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const { release } = await released(app, person, 'Mine');
  const { release: other } = await released(app, person, 'Mine too');
  const link = await person.caller.releases.download({ releaseId: release.id });
  const ticket = link.url.split('ticket=')[1] ?? '';
  const statusOf = async (path: string, headers = {}) => (await fetchZip(listener, path, headers)).status;
  const path = `/api/releases/${release.id}/download`;

  expect(await statusOf(path)).toBe(401);
  expect(await statusOf(path, bearer(stranger))).toBe(404);
  expect(await statusOf(`/api/releases/${newId()}/download`, bearer(person))).toBe(404);
  expect(await statusOf('/api/releases/short/download', bearer(person))).toBe(404);
  expect(await statusOf(`/api/releases/${other.id}/download?ticket=${ticket}`)).toBe(404);
  expect(await statusOf(`${path}?ticket=${ticket.slice(0, -4)}AAAA`)).toBe(404);
  expect(await statusOf(`${path}?ticket=`)).toBe(404);
  await expect(stranger.caller.releases.download({ releaseId: release.id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const head = await fetch(`${listener.url}${link.url}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(link.sizeBytes)]);
  app.clock.advance(61_000);
  expect(await statusOf(link.url)).toBe(404);
});

test('a link made just before its account was deleted leads to nothing, though the files are there for a while', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const { release } = await released(app, person, 'Left behind');
  const link = await person.caller.releases.download({ releaseId: release.id });
  expect((await fetchZip(listener, link.url)).status).toBe(200);
  await person.caller.account.delete({ username: person.user.username, currentPassword: person.password });
  expect(await ReleaseModel.exists({ _id: release.id, accountId: person.user.id })).not.toBeNull();
  expect((await fetchZip(listener, link.url)).status).toBe(404);
});

test('a file that is damaged ends the download in the middle instead of coming along', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const { release } = await released(app, person, 'Damaged');
  await app.providers.store.remove(sha256Of('emoji'));
  const ending = await new Promise<string>((resolve) => {
    request(`${listener.url}/api/releases/${release.id}/download`, { headers: bearer(person) }, (answer) => {
      answer.resume();
      answer.on('error', () => resolve('broken off'));
      answer.on('end', () => resolve(answer.complete ? 'whole' : 'broken off'));
    })
      .on('error', () => resolve('broken off'))
      .end();
  });
  expect(ending).toBe('broken off');
});

test('the owner alone reads the files of a release one by one, and nothing that it does not name', async () => {
  const { app, listener } = await theApp();
  const [person, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const { release } = await released(app, person, 'Edited');
  const { release: other } = await released(app, stranger, 'Elsewhere');
  const files = `/api/releases/${release.id}/files`;
  const list = await fetchZip(listener, files, bearer(person));
  const rows = readReleaseFiles(await list.json());
  expect(rows).toContainEqual({ path: 'only/日本語/😀.txt', sha256: sha256Of('emoji'), sizeBytes: 5 });
  expect(rows).toHaveLength(Object.keys(SITE).length);

  const file = await fetchZip(listener, `${files}/${sha256Of(SITE['only/index.html'])}`, bearer(person));
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(await file.text()).toBe('<h1>Grüße</h1>');

  const statusOf = async (path: string, headers = {}) => (await fetchZip(listener, path, headers)).status;
  const emoji = `${files}/${sha256Of('emoji')}`;
  expect([await statusOf(files), await statusOf(emoji)]).toEqual([401, 401]);
  expect([await statusOf(files, bearer(stranger)), await statusOf(emoji, bearer(stranger))]).toEqual([404, 404]);
  expect(await statusOf(`${files}/${sha256Of('nowhere')}`, bearer(person))).toBe(404);
  expect(await statusOf(`${files}/index.html`, bearer(person))).toBe(404);
  expect(await statusOf(`/api/releases/${other.id}/files`, bearer(person))).toBe(404);

  await app.providers.store.remove(sha256Of('emoji'));
  expect(await statusOf(emoji, bearer(person))).toBe(500);
});
