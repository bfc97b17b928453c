import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ArtifactModel } from '../../server/database/models/publishing/artifact.ts';
import { UploadModel } from '../../server/database/models/publishing/upload.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createTestApp, type Person, type TestApp, type TestAppOptions, tokenOf } from '../support/app.ts';
import { collectAnswers } from '../support/begun-answers.ts';
import { type Listening, listen } from '../support/listen.ts';
import { sha256Of } from '../support/publishing.ts';
import { writeZip, type ZipPart } from '../support/zip-writer.ts';

type Sending = { token?: string | undefined; type?: string; query?: string; headers?: Record<string, string> };

async function sendZip(listener: Listening, person: Person, uploadId: string, zip: Buffer, more: Sending = {}) {
  const { token = person.accessToken, type = 'application/zip', query = '', headers = {} } = more;
  const response = await fetch(`${listener.url}/api/uploads/${uploadId}/zip${query}`, {
    method: 'POST',
    body: new Uint8Array(zip),
    headers: { 'content-type': type, authorization: `Bearer ${token}`, ...headers },
  });
  return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
}

async function start(options: TestAppOptions = {}) {
  const app = await createTestApp(options);
  const listener = await listen(app);
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  return {
    app,
    listener,
    person,
    uploadId,
    send: (zip: Buffer, more?: Sending) => sendZip(listener, person, uploadId, zip, more),
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Returns the names of all stored files, and of those that are still being written. */
async function filesOf({ folder }: TestApp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name !== 'store-id').map((entry) => entry.name);
}

const SITE: ZipPart[] = [
  { name: 'site/index.html', data: '<h1>hello</h1>', method: 8 },
  { name: 'site/a/same.txt', data: 'twice' },
  { name: 'site/b/same.txt', data: 'twice' },
  { name: 'site/empty.txt', data: '' },
  { name: '__MACOSX/site/._index.html', data: 'os-junk' },
];

test('a ZIP completes an upload: its files are listed and stored once, and the release says that it came so', async () => {
  await using site = await start();
  const answer = await site.send(writeZip(SITE));
  expect(answer).toMatchObject({
    status: 200,
    body: { missing: [], leftOut: [], droppedCount: 1, totalBytes: 24 },
  });
  expect(answer.body.files).toContainEqual({ path: 'a/same.txt', sha256: sha256Of('twice'), sizeBytes: 5 });
  expect(answer.body.files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'a/same.txt',
    'b/same.txt',
    'empty.txt',
    'index.html',
  ]);
  const { store } = site.app.providers;
  expect((await store.readWhole(sha256Of('<h1>hello</h1>'))).toString()).toBe('<h1>hello</h1>');
  const accountId = site.person.user.id;
  expect(await ArtifactModel.countDocuments({ accountId })).toBe(3);
  expect(await UploadModel.findOne({ _id: site.uploadId, accountId })).toMatchObject({
    source: 'zip',
    fileCount: 4,
    totalBytes: 24,
    state: 'open',
  });
  // The same once more: nothing changes.
  expect((await site.send(writeZip(SITE))).body).toEqual(answer.body);
  expect(await ArtifactModel.countDocuments({ accountId })).toBe(3);
  const { id: deploymentId } = await site.person.caller.deployments.create({ name: 'Zipped', platform: 'built-in' });
  const release = await site.person.caller.releases.create({ deploymentId, uploadId: site.uploadId });
  expect(release.source).toBe('zip');
});

test('secrets are left out and named, and published only on purpose, keys never', async () => {
  await using site = await start();
  const zip = writeZip(['index.html', '.env', 'a+b.bak', '.git/config', 'key.pem']);
  const plain = await site.send(zip);
  expect(plain.body.leftOut.map((entry: { path: string }) => entry.path)).toEqual([
    '.env',
    'a+b.bak',
    '.git/config',
    'key.pem',
  ]);
  expect(plain.body.leftOut[0].reason).toEqual(expect.any(String));
  const wanted = new URLSearchParams(
    ['.env', 'a+b.bak', '.git/config', 'key.pem'].map((path) => ['publishAnyway', path]),
  );
  const anyway = await site.send(zip, { query: `?${wanted}` });
  expect(anyway.body.leftOut.map((entry: { path: string }) => entry.path)).toEqual(['.git/config', 'key.pem']);
  expect(anyway.body.files.map((file: { path: string }) => file.path)).toEqual(['index.html', '.env', 'a+b.bak']);
});

test('a refused ZIP names the entry and the rule, leaves the upload as it was, and nothing behind', async () => {
  await using site = await start();
  await site.send(writeZip(SITE));
  const before = await filesOf(site.app);
  const cases: [ZipPart | string, string, string][] = [
    ['a/../../etc/passwd', 'parent_folder', 'a/../../etc/passwd'],
    [{ name: Buffer.from('b\r\nc'), data: 'x' }, 'control_character', 'b\\u{d}\\u{a}c'],
    [{ name: 'new.txt', data: 'x', crc: 7 }, 'checksum_wrong', 'new.txt'],
    [{ name: 'link', data: '/etc/passwd', attributes: (0o010644 << 16) >>> 0 }, 'special_file', 'link'],
  ];
  for (const [part, reason, path] of cases) {
    const answer = await site.send(writeZip(['good.txt', part]));
    expect(answer).toMatchObject({ status: 400, body: { code: 'upload_refused', reason, path } });
    expect(answer.body.message).toContain(path);
    expect(answer.body.requestId).toEqual(expect.any(String));
  }
  expect(await site.send(Buffer.from('no ZIP'))).toMatchObject({ status: 400, body: { reason: 'not_zip', path: '' } });
  expect(await filesOf(site.app)).toEqual(before);
  const accountId = site.person.user.id;
  expect(await UploadModel.findOne({ _id: site.uploadId, accountId })).toMatchObject({ fileCount: 4 });
  expect(await ArtifactModel.countDocuments({ accountId })).toBe(3);
});

test('a ZIP is for the owner of the upload, signed in, from the app itself, and has its type', async () => {
  await using site = await start();
  const zip = writeZip(SITE);
  const stranger = await site.app.trialPerson();
  expect(await sendZip(site.listener, stranger, site.uploadId, zip)).toMatchObject({ status: 404 });
  expect((await site.send(zip, { token: 'nobody' })).status).toBe(401);
  expect((await site.send(zip, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  const reader = await tokenOf(site.person, ['read'], 'reader');
  expect(await site.send(zip, { token: reader.secret })).toMatchObject({
    status: 403,
    body: { code: 'scope_missing' },
  });
  for (const type of ['application/octet-stream', 'application/json', '']) {
    expect(await site.send(zip, { type })).toMatchObject({ status: 415, body: { code: 'body_type_unsupported' } });
  }
  expect((await site.send(zip, { type: 'application/x-zip-compressed' })).status).toBe(200);
  const { secret } = await tokenOf(site.person, ['write'], 'writer');
  expect((await site.send(zip, { token: secret })).status).toBe(200);
});

/** Returns a request whose body the test sends by hand. */
function beginZip(
  { listener, person, uploadId }: Awaited<ReturnType<typeof start>>,
  headers: Record<string, string> = {},
  query = '',
) {
  const outgoing = request(`${listener.url}/api/uploads/${uploadId}/zip${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/zip', ...headers },
  });
  outgoing.on('error', () => undefined);
  const answered = once(outgoing, 'response').then(([response]) => response.resume());
  answered.catch(() => undefined);
  return { outgoing, answered };
}

test('a ZIP that says that it is too large is refused before its first byte', async () => {
  await using site = await start();
  const { outgoing, answered } = beginZip(site, { 'content-length': String(UPLOAD_LIMITS.maxZipBytes + 1) });
  outgoing.flushHeaders();
  expect((await answered).statusCode).toBe(413);
  outgoing.destroy();
});

/** Sends all of it before it reads anything, as browsers do; what is read until the server closes, or has answered. */
async function sendDeaf(listener: Listening, path: string, headers: string[], body: Buffer): Promise<string> {
  const socket = connect(listener.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/zip', ...headers, '', ''];
  socket.write(head.join('\r\n'));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(body, () => resolve());
  });
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return String(answer);
}

test('who is refused in mid-body is told so, although they read nothing before they have sent all', async () => {
  await using site = await start();
  const stranger = await site.app.trialPerson();
  const path = `/api/uploads/${site.uploadId}/zip`;
  const body = Buffer.alloc(24 * 1024 * 1024);
  const authorization = `Authorization: Bearer ${stranger.accessToken}`;
  const withLength = [authorization, `Content-Length: ${body.length}`];
  expect(await sendDeaf(site.listener, path, withLength, body)).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);

  const { zips } = site.app.providers;
  site.app.providers.zips = {
    ...zips,
    take: async ({ body: pieces }) => {
      for await (const _piece of pieces) throw new AppError('storage_full', 'Full after the first bytes.');
      throw new Error('Nothing came.');
    },
  };
  const own = [`Authorization: Bearer ${site.person.accessToken}`, 'Transfer-Encoding: chunked'];
  const chunked = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  expect(await sendDeaf(site.listener, path, own, chunked)).toMatch(/^HTTP\/1\.1 507 /);
  site.app.providers.zips = zips;
  expect((await site.send(writeZip(SITE))).status).toBe(200);
});

test('a ZIP without a length is taken', async () => {
  await using site = await start();
  const { outgoing, answered } = beginZip(site);
  const bytes = writeZip(SITE);
  outgoing.write(bytes.subarray(0, 10));
  outgoing.end(bytes.subarray(10));
  expect((await answered).statusCode).toBe(200);
});

test('the bytes of a day are counted: those that are sent, and those that they unpack to', async () => {
  const text = 'packs well '.repeat(10_000);
  const zip = writeZip([{ name: 'index.html', data: text, method: 8 }]);
  await using site = await start({ limits: { uploadBytesPerDay: text.length + zip.length } });
  const answers = [await site.send(zip), await site.send(zip)];
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(answers[1]).toMatchObject({ body: { code: 'quota_exhausted' } });
  expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0);
});

/**
 * A ZIP of which only the beginning was sent, once it has its place: a second one is refused then. One that came while
 * the second was being read was refused itself, and is begun again.
 */
async function beginInPlace(site: Awaited<ReturnType<typeof start>>, bytes: Buffer) {
  const begin = () => {
    const zip = { ...beginZip(site, { 'content-length': String(bytes.length) }), isAnswered: false };
    const markAnswered = (): void => {
      zip.isAnswered = true;
    };
    zip.answered.then(markAnswered, markAnswered);
    zip.outgoing.write(bytes.subarray(0, 10));
    return zip;
  };
  let first = begin();
  const statusOfSecond = async (): Promise<number> => {
    if (first.isAnswered) first = begin();
    return (await site.send(bytes)).status;
  };
  await expect.poll(statusOfSecond).toBe(409);
  return first;
}

test('an upload takes one ZIP at a time, an account as many requests as it may', async () => {
  await using site = await start({ limits: { uploadsAtOnce: 2 } });
  const bytes = writeZip(SITE);
  const { uploadId } = await site.person.caller.releases.prepare();
  const { outgoing, answered } = await beginInPlace(site, bytes);
  expect((await site.send(bytes)).body.code).toBe('conflict');
  expect((await sendZip(site.listener, site.person, uploadId, bytes)).status).toBe(200);
  outgoing.end(bytes.subarray(10));
  expect((await answered).statusCode).toBe(200);
  expect((await site.send(bytes)).status).toBe(200);
});

test('a sender that goes away leaves nothing behind, and the upload takes the next one', async () => {
  await using site = await start();
  const bytes = writeZip([...SITE, { name: 'site/more.bin', data: Buffer.alloc(3 * 1024 * 1024, 'x') }]);
  const { outgoing } = beginZip(site, { 'content-length': String(bytes.length) });
  await new Promise<void>((resolve) => outgoing.write(bytes.subarray(0, -10), () => resolve()));
  outgoing.destroy();
  await expect.poll(async () => (await site.send(writeZip(SITE))).status).toBe(200);
  expect((await filesOf(site.app)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

const KEY = 'a'.repeat(64);

/** Asks how much of the archive is here, as a sender that continues does. */
async function arrived(site: Awaited<ReturnType<typeof start>>, key = KEY, person = site.person) {
  const response = await fetch(`${site.listener.url}/api/uploads/${site.uploadId}/zip?key=${key}`, {
    headers: { authorization: `Bearer ${person.accessToken}` },
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Sends the archive up to `end` and goes away; answers how much of it the server says that it has. */
async function cutOff(site: Awaited<ReturnType<typeof start>>, zip: Buffer, end: number, key = KEY): Promise<number> {
  const { outgoing } = beginZip(site, { 'content-length': String(zip.length) }, `?key=${key}`);
  await new Promise<void>((resolve) => outgoing.write(zip.subarray(0, end), () => resolve()));
  // The rest of what was written to the socket is in the file once the first large piece is.
  await expect.poll(async () => (await arrived(site, key)).body.bytes).toBeGreaterThan(0);
  outgoing.destroy();
  // One that is no longer accepted says that the server has not noticed yet.
  await expect
    .poll(async () => (await site.send(zip, { query: `?key=${key}&from=${zip.length + 1}` })).body.hint)
    .toBe('Ask how much has arrived, and continue from there.');
  return (await arrived(site, key)).body.bytes;
}

const LONG: ZipPart[] = [...SITE, { name: 'site/more.bin', data: Buffer.alloc(5 * 1024 * 1024, 'x') }];

test('a ZIP that was cut off goes on with what is missing, and is read as a whole', async () => {
  await using site = await start();
  const zip = writeZip(LONG);
  expect((await arrived(site)).body).toEqual({ bytes: 0 });
  const bytes = await cutOff(site, zip, zip.length - 1_000);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThanOrEqual(zip.length - 1_000);
  expect(await filesOf(site.app)).toEqual([`${site.person.user.id}.${site.uploadId}.${KEY}.part`]);

  const answer = await site.send(zip.subarray(bytes), { query: `?key=${KEY}&from=${bytes}` });
  expect(answer).toMatchObject({ status: 200, body: { missing: [] } });
  expect(answer.body.files).toHaveLength(5);
  expect((await filesOf(site.app)).filter((name) => name.endsWith('.part'))).toEqual([]);
  expect((await arrived(site)).body).toEqual({ bytes: 0 });
});

test('what came is nobody else’s, no other archive’s, and no place to go on behind its end', async () => {
  await using site = await start();
  const zip = writeZip(LONG);
  const bytes = await cutOff(site, zip, zip.length - 1_000);
  const stranger = await site.app.trialPerson();
  expect((await arrived(site, KEY, stranger)).status).toBe(404);
  expect((await arrived(site, 'b'.repeat(64))).body).toEqual({ bytes: 0 });
  for (const query of ['?key=../../x', `?key=${KEY}&from=-1`, `?key=${KEY}&from=1e9`, '?from=5']) {
    expect(await site.send(zip, { query }), query).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  }
  expect((await site.send(zip, { query: `?key=${KEY}&from=${bytes + 1}` })).body.code).toBe('conflict');
  expect((await site.send(zip, { query: `?key=${KEY}&from=${UPLOAD_LIMITS.maxZipBytes}` })).status).toBe(413);
  // From the beginning once more: what came before is not a part of it.
  expect((await site.send(zip, { query: `?key=${KEY}&from=0` })).status).toBe(200);
});

test('a part whose rest does not fit is refused as the whole is, and kept no longer', async () => {
  await using site = await start();
  const zip = writeZip(LONG);
  const bytes = await cutOff(site, zip, zip.length - 1_000);
  const answer = await site.send(Buffer.alloc(zip.length - bytes, 'y'), { query: `?key=${KEY}&from=${bytes}` });
  expect(answer).toMatchObject({ status: 400, body: { code: 'upload_refused' } });
  expect(await filesOf(site.app)).toEqual([]);
  expect((await site.send(zip, { query: `?key=${KEY}` })).status).toBe(200);
});

test('a sender that goes away while its ZIP is unpacked ends the work', async () => {
  await using site = await start();
  const { store } = site.app.providers;
  const begun = deferred();
  const answers = collectAnswers();
  let isAbandoned = false;
  site.app.providers.store = {
    ...store,
    intake: async () => {
      const intake = await store.intake();
      return {
        ...intake,
        add: async (file, info) => {
          begun.resolve();
          await vi.waitFor(() => expect(answers[0]?.destroyed).toBe(true));
          await intake.add(file, info);
        },
        abandon: async () => {
          await intake.abandon();
          isAbandoned = true;
        },
      };
    },
  };
  const parts = Array.from({ length: 400 }, (_, index) => ({ name: `${index}.txt`, data: `${index}` }));
  const { outgoing } = beginZip(site);
  outgoing.end(writeZip(parts));
  await begun.promise;
  outgoing.destroy();
  await expect.poll(() => isAbandoned).toBe(true);
  expect(await ArtifactModel.countDocuments({ accountId: site.person.user.id })).toBe(0);
  expect(await filesOf(site.app)).toEqual([]);
});

/** Node 20 has no `Promise.withResolvers`. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('a full disk is 507 before the first byte, and while files are stored', async () => {
  await using full = await start({ limits: { minFreeDiskBytes: Number.MAX_SAFE_INTEGER } });
  expect(await full.send(writeZip(SITE))).toMatchObject({ status: 507, body: { code: 'storage_full' } });
  expect(await filesOf(full.app)).toEqual([]);

  await using filling = await start();
  filling.app.providers.store = await createDiskStore({
    folder: `${filling.app.folder}/artifacts`,
    minFreeBytes: Number.MAX_SAFE_INTEGER,
    rateCounters: createRateCounters(),
  });
  expect(await filling.send(writeZip(SITE))).toMatchObject({ status: 507, body: { code: 'storage_full' } });
  expect(await filesOf(filling.app)).toEqual([]);
  expect(await ArtifactModel.countDocuments({ accountId: filling.person.user.id })).toBe(0);
});

test('three ZIPs at once, each in its upload, all arrive', async () => {
  await using site = await start();
  const uploads = [site.uploadId];
  while (uploads.length < 3) uploads.push((await site.person.caller.releases.prepare()).uploadId);
  const answers = await Promise.all(
    uploads.map((uploadId, number) => {
      const own = Buffer.alloc(4 * 1024 * 1024, `${number}`);
      const parts = [...SITE, { name: 'site/own.bin', data: own }];
      return sendZip(site.listener, site.person, uploadId, writeZip(parts));
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const accountId = site.person.user.id;
  expect(await ArtifactModel.countDocuments({ accountId })).toBe(6);
  for (const number of [0, 1, 2]) {
    const sha256 = sha256Of(Buffer.alloc(4 * 1024 * 1024, `${number}`));
    expect(await site.app.providers.store.has(sha256)).toBe(true);
  }
});
