import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ArtifactModel } from '../../server/database/models/publishing/artifact.ts';
import { UploadModel } from '../../server/database/models/publishing/upload.ts';
import { newId } from '../../server/database/mongo.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createTestApp, type Person, type TestApp, tokenOf } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';
import { manifestOf, type Site, sha256Of } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';

const SITE: Site = { 'index.html': 'hello', 'a/same.txt': 'twice', 'b/same.txt': 'twice', 'empty.txt': '' };
const HELLO = sha256Of('hello');

type Put = {
  token?: string | undefined;
  type?: string;
  body?: string | Uint8Array | undefined;
  method?: string;
  headers?: Record<string, string>;
};

async function put(
  listener: Listening,
  path: string,
  { token, type = 'application/octet-stream', body = '', method = 'PUT', headers = {} }: Put,
) {
  const response = await fetch(`${listener.url}/api/uploads/${path}`, {
    method,
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': type, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
}

async function announce(
  listener: Listening,
  person: Person,
  uploadId: string,
  content: unknown,
  more: Partial<Put> = {},
) {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  return put(listener, `${uploadId}/manifest`, { token: person.accessToken, type: 'application/json', body, ...more });
}

const send = (listener: Listening, person: Person, uploadId: string, text: string, more: Partial<Put> = {}) =>
  put(listener, `${uploadId}/files/${sha256Of(text)}`, { token: person.accessToken, body: text, ...more });

const theApp = shareApp();

/** Somebody with an open upload. */
async function begin(started: { app: TestApp; listener: Listening }) {
  const person = await started.app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  return { ...started, person, uploadId };
}

async function open(app: TestApp) {
  return begin({ app, listener: await listen(app) });
}

test('a manifest is answered with the hashes that are missing, each once, and files go in by hash', async () => {
  const { app, listener, person, uploadId } = await begin(await theApp());
  const answer = await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  expect(answer).toMatchObject({ status: 200, body: { leftOut: [] } });
  expect(new Set(answer.body.missing)).toEqual(new Set([HELLO, sha256Of('twice'), sha256Of('')]));
  for (const text of ['hello', 'twice', '']) expect((await send(listener, person, uploadId, text)).status).toBe(204);
  expect((await announce(listener, person, uploadId, { files: manifestOf(SITE) })).body.missing).toEqual([]);
  expect((await app.providers.store.readWhole(HELLO)).toString()).toBe('hello');
  expect(await ArtifactModel.findOne({ accountId: person.user.id, sha256: HELLO })).toMatchObject({ sizeBytes: 5 });
  // Sent once more: nothing changes.
  expect((await send(listener, person, uploadId, 'hello')).status).toBe(204);
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id, sha256: HELLO })).toBe(1);
});

test('what another account has stored is missing for this one', async () => {
  const { app, listener, person, uploadId } = await begin(await theApp());
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  await send(listener, person, uploadId, 'hello');
  const other = await app.trialPerson();
  const upload = await other.caller.releases.prepare();
  expect(
    (await announce(listener, other, upload.uploadId, { files: manifestOf({ 'index.html': 'hello' }) })).body.missing,
  ).toEqual([HELLO]);
});

test('secrets are left out and named, and published only on purpose, keys never', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  const dropped = { '.DS_Store': 'z', 'index.html:Zone.Identifier': 'ZoneId=3', 'img/Thumbs.db:encryptable': '' };
  const files = manifestOf({ 'index.html': 'x', '.env': 'A=1', '.git/config': 'y', id_rsa: 'k', ...dropped });
  const plain = await announce(listener, person, uploadId, { files });
  expect(plain.body.droppedCount).toBe(3);
  expect(plain.body.leftOut.map((entry: { path: string }) => entry.path)).toEqual(['.env', '.git/config', 'id_rsa']);
  expect(plain.body.missing).toEqual([sha256Of('x')]);
  const anyway = await announce(listener, person, uploadId, {
    files,
    publishAnyway: ['.env', '.git/config', 'id_rsa'],
  });
  expect(anyway.body.leftOut.map((entry: { path: string }) => entry.path)).toEqual(['.git/config', 'id_rsa']);
  expect(anyway.body.missing).toContain(sha256Of('A=1'));
});

test('a private key that a list of files names is refused by its content, and a public one is published', async () => {
  const { listener, person } = await begin(await theApp());
  const { id: deploymentId } = await person.caller.deployments.create({ name: 'Keys', platform: 'built-in' });
  const { uploadId } = await person.caller.releases.prepare({ deploymentId });
  const pem = (label: string): string => `-----BEGIN ${label}-----\nAAAA\n`;
  const site = { 'index.html': 'x', 'gpg.key': pem('PGP PUBLIC KEY BLOCK'), 'id.pem': pem('PRIVATE KEY') };
  const publishAnyway = ['id.pem'];
  await announce(listener, person, uploadId, { files: manifestOf(site), publishAnyway });
  for (const text of Object.values(site)) await send(listener, person, uploadId, text);
  const refused = { code: 'upload_refused', reason: 'private_key', path: 'id.pem' };
  expect(await refusalOf(person.caller.releases.create({ deploymentId, uploadId }))).toMatchObject(refused);
  expect(await refusalOf(person.caller.releases.preview({ uploadId }))).toMatchObject(refused);
  const { 'id.pem': _, ...without } = site;
  await announce(listener, person, uploadId, { files: manifestOf(without) });
  await person.caller.releases.create({ deploymentId, uploadId });
});

test('a refused path names the rule and the entry, and leaves the upload as it was', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  const answer = await announce(listener, person, uploadId, {
    files: manifestOf({ 'index.html': 'x', 'a/../../etc/passwd': 'y', 'b\nc': 'z' }),
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'upload_refused', reason: 'parent_folder', path: 'a/../../etc/passwd' },
  });
  expect(answer.body.message).toContain('a/../../etc/passwd');
  expect(answer.body.requestId).toEqual(expect.any(String));
  const control = await announce(listener, person, uploadId, { files: manifestOf({ 'b\nc': 'z' }) });
  expect(control.body).toMatchObject({ reason: 'control_character', path: 'b\\u{a}c' });
  expect((await UploadModel.findOne({ _id: uploadId, accountId: person.user.id }))?.fileCount).toBe(4);
});

test('a body that is no manifest is refused by what is wrong with it', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  expect(await announce(listener, person, uploadId, '{"files": [')).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  });
  expect(
    await announce(listener, person, uploadId, { files: [{ path: 'x', sha256: 'short', sizeBytes: 1 }] }),
  ).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', fieldErrors: { 'files.0.sha256': expect.any(String) } },
  });
  expect(await announce(listener, person, uploadId, { files: [], accountId: 'x' })).toMatchObject({
    status: 400,
    body: { code: 'validation_failed' },
  });
  expect(await announce(listener, person, uploadId, { files: [] }, { type: 'text/plain' })).toMatchObject({
    status: 415,
  });
  const huge = await announce(listener, person, uploadId, `"${'x'.repeat(UPLOAD_LIMITS.maxManifestBytes)}"`);
  expect(huge).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
});

/** None that has too much of anything is parsed (manifest-body.test.ts). */
test('a list that is wrong everywhere is refused by its first fault', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  const many = (entry: string, count: number) => `[${`${entry},`.repeat(count - 1)}${entry}]`;
  const { maxFiles } = UPLOAD_LIMITS;
  expect(await announce(listener, person, uploadId, `{"files":${many('{}', maxFiles + 1)}}`)).toMatchObject({
    status: 400,
    body: { code: 'upload_refused', reason: 'too_many_files' },
  });
  const wrong = await announce(listener, person, uploadId, `{"files":${many('0', maxFiles)}}`);
  expect(wrong).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(Object.keys(wrong.body.fieldErrors)).toEqual(['files.0']);
  for (const text of ['0', 'null', '"x"']) {
    expect(await announce(listener, person, uploadId, text)).toMatchObject({ status: 400 });
  }
});

test('a body that is nested deeper than a list of files is not parsed; brackets in names are no nesting', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  for (const depth of [4, 400_000]) {
    expect(await announce(listener, person, uploadId, `${'['.repeat(depth)}${']'.repeat(depth)}`)).toMatchObject({
      status: 400,
      body: { code: 'bad_request', message: 'The list of files is nested too deeply.' },
    });
  }
  const files = manifestOf({ 'a[[[[{{{{.txt': 'hello', 'quote"[[[[\'.txt': 'hello', 'index.html': 'hello' });
  expect((await announce(listener, person, uploadId, { files })).status).toBe(200);
});

test('a file is taken only as announced: hash, size and type', async () => {
  await using app = await createTestApp();
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  expect(await send(listener, person, uploadId, 'hello')).toMatchObject({
    status: 409,
    body: { code: 'hash_unannounced' },
  });
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  expect(await send(listener, person, uploadId, 'nobody announced this')).toMatchObject({
    status: 409,
    body: { code: 'hash_unannounced' },
  });
  expect(await send(listener, person, uploadId, 'hello', { body: 'jello' })).toMatchObject({
    status: 400,
    body: { code: 'hash_mismatch' },
  });
  expect(await send(listener, person, uploadId, 'hello', { body: 'hell' })).toMatchObject({
    status: 400,
    body: { code: 'hash_mismatch' },
  });
  expect(await send(listener, person, uploadId, 'hello', { body: 'hello and more' })).toMatchObject({
    status: 413,
    body: { code: 'body_too_large' },
  });
  expect(await send(listener, person, uploadId, 'hello', { type: 'text/html' })).toMatchObject({ status: 415 });
  expect(await app.providers.store.has(HELLO)).toBe(false);
  expect((await send(listener, person, uploadId, 'hello')).status).toBe(204);
});

test('a body without a length is measured as it comes', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  for (const [text, status] of [
    ['hello and far more than that', 413],
    ['hello', 204],
  ] as const) {
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(
        `${listener.url}/api/uploads/${uploadId}/files/${HELLO}`,
        {
          method: 'PUT',
          headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/octet-stream' },
        },
        (response) => resolve(response.resume().statusCode),
      );
      outgoing.on('error', reject);
      outgoing.write(text.slice(0, 3));
      outgoing.end(text.slice(3));
    });
    expect(answered).toBe(status);
  }
});

test('a sender that goes away leaves nothing behind, and the next one succeeds', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  const outgoing = request(`${listener.url}/api/uploads/${uploadId}/files/${HELLO}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${person.accessToken}`,
      'content-type': 'application/octet-stream',
      'content-length': '5',
    },
  });
  outgoing.on('error', () => undefined);
  await new Promise<void>((resolve) => outgoing.write('hel', () => resolve()));
  outgoing.destroy();
  expect((await send(listener, person, uploadId, 'hello')).status).toBe(204);
});

test('uploads are for their owner, signed in, from the app itself', async () => {
  const { app, listener, person, uploadId } = await begin(await theApp());
  const body = { files: manifestOf(SITE) };
  expect((await announce(listener, person, uploadId, body, { token: undefined })).status).toBe(401);
  const stranger = await app.trialPerson();
  expect(await announce(listener, stranger, uploadId, body)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  expect((await send(listener, stranger, uploadId, 'hello')).status).toBe(404);
  expect(
    await announce(listener, person, uploadId, body, { headers: { origin: 'https://evil.example' } }),
  ).toMatchObject({
    status: 403,
  });
  expect((await announce(listener, person, 'not-an-id', body)).status).toBe(404);
});

test('a token that may only read sends nothing', async () => {
  const { listener, person, uploadId } = await begin(await theApp());
  const reader = await tokenOf(person, ['read'], 'reader');
  const writer = await tokenOf(person, ['write'], 'writer');
  const body = { files: manifestOf(SITE) };
  expect(await announce(listener, person, uploadId, body, { token: reader.secret })).toMatchObject({
    status: 403,
    body: { code: 'scope_missing' },
  });
  expect((await announce(listener, person, uploadId, body, { token: writer.secret })).status).toBe(200);
});

test('the bytes of a day are counted, those of the list as well, and the limit is named', async () => {
  const entries = manifestOf(SITE).map(({ path, sha256, sizeBytes }) => [path, sha256, sizeBytes]);
  const listBytes = JSON.stringify(entries).length;
  await using app = await createTestApp({ limits: { uploadBytesPerDay: listBytes + 10 } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  // Sent again, it counts again.
  for (let time = 0; time < 2; time += 1) expect((await send(listener, person, uploadId, 'hello')).status).toBe(204);
  const refusals = [
    await send(listener, person, uploadId, 'twice'),
    await announce(listener, person, uploadId, { files: manifestOf({ 'index.html': 'other' }) }),
  ];
  for (const refused of refusals) {
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exhausted' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

test('a list that is refused counts like one that is taken: as a call, and with its bytes', async () => {
  const lists = ['[]', { files: manifestOf({ 'b\nc': 'z' }) }, { files: 'none' }];
  // There is no upload for it.
  const lost = { files: manifestOf(SITE) };
  const size = [...lists, lost].map((list) => (typeof list === 'string' ? list : JSON.stringify(list)).length);
  const pieces = Array.from({ length: 17 }, () => new Uint8Array(1024 ** 2));
  const uploadBytesPerDay = size.reduce((sum, one) => sum + one, 15 * 1024 ** 2);
  await using app = await createTestApp({ limits: { uploadBytesPerDay } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  for (const list of lists) expect((await announce(listener, person, uploadId, list)).status).toBe(400);
  expect((await announce(listener, person, newId(), lost)).status).toBe(404);
  // Without a length it is known to be too large only once it has come.
  const tooLarge = await fetch(`${listener.url}/api/uploads/${uploadId}/manifest`, {
    ...{ method: 'PUT', duplex: 'half', body: new Blob(pieces).stream() },
    headers: { 'content-type': 'application/json', authorization: `Bearer ${person.accessToken}` },
  });
  expect(await tooLarge.json()).toMatchObject({ code: 'quota_exhausted' });

  await using busy = await createTestApp({ limits: { callsPerMinute: 4 } });
  const other = await open(busy);
  await using _other = other.listener;
  const statuses: number[] = [];
  for (let call = 0; call < 5; call += 1)
    statuses.push((await announce(other.listener, other.person, other.uploadId, '[]')).status);
  expect(statuses.at(-1)).toBe(429);
  expect(statuses[0]).toBe(400);
});

test('files without bytes are counted as well, and so is the question what has come of a ZIP', async () => {
  await using app = await createTestApp({ limits: { uploadsPerMinute: 4, callsPerMinute: 3 } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  await announce(listener, person, uploadId, { files: manifestOf({ 'empty.txt': '' }) });
  const statusOf = async (path: string, method: string): Promise<number> => {
    const headers = { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/octet-stream' };
    const url = `${listener.url}/api/uploads/${uploadId}/${path}`;
    return (await fetch(url, { method, headers, ...(method !== 'GET' && { body: '' }) })).status;
  };
  for (const [path, method, times, taken] of [
    [`files/${sha256Of('')}`, 'PUT', 2, 204],
    ['files', 'POST', 1, 204],
    ['files', 'POST', 1, 429],
    [`files/${sha256Of('')}`, 'PUT', 1, 429],
    [`zip?key=${sha256Of('')}`, 'GET', 2, 200],
    [`zip?key=${sha256Of('')}`, 'GET', 1, 429],
  ] as const)
    for (let time = 0; time < times; time += 1) expect(await statusOf(path, method), `${method} ${path}`).toBe(taken);
});

test.each([
  ['a ninth file at once', 1, 1, 'twice'],
  ['a third copy of one file at once', 8, 2, 'hello'],
])('%s is asked to wait', async (_name, uploadsAtOnce, sending, further) => {
  await using app = await createTestApp({ limits: { uploadsAtOnce } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  const { store } = app.providers;
  const gate = new EventEmitter();
  app.providers.store = {
    ...store,
    write: (source, expected) => {
      gate.emit('begun');
      return store.write(source, expected);
    },
  };
  const beginSlowly = async () => {
    const begun = once(gate, 'begun');
    const slow = request(`${listener.url}/api/uploads/${uploadId}/files/${HELLO}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${person.accessToken}`,
        'content-type': 'application/octet-stream',
        'content-length': '5',
      },
    });
    slow.write('hel');
    await begun;
    return slow;
  };
  const slow = [];
  while (slow.length < sending) slow.push(await beginSlowly());
  expect(await send(listener, person, uploadId, further)).toMatchObject({
    status: 429,
    body: { code: 'rate_limited' },
  });
  for (const one of slow) {
    const answered = once(one, 'response');
    one.end('lo');
    expect((await answered)[0]).toMatchObject({ statusCode: 204 });
  }
  expect((await send(listener, person, uploadId, further)).status).toBe(204);
});

test('lists of files count as requests at once, too', async () => {
  await using app = await createTestApp({ limits: { uploadsAtOnce: 1 } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  const { store } = app.providers;
  const gate = new EventEmitter();
  const begun = once(gate, 'begun');
  const opened = once(gate, 'opened');
  app.providers.store = {
    ...store,
    writeWhole: async (bytes) => {
      gate.emit('begun');
      await opened;
      return store.writeWhole(bytes);
    },
  };
  const body = { files: manifestOf(SITE) };
  const first = announce(listener, person, uploadId, body);
  await begun;
  expect(await announce(listener, person, uploadId, body)).toMatchObject({
    status: 429,
    body: { code: 'rate_limited' },
  });
  gate.emit('opened');
  expect((await first).status).toBe(200);
});

test('who is nobody is counted as with any other call', async () => {
  await using app = await createTestApp({ limits: { isAddressCounted: true, anonymousCallsPerMinute: 2 } });
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  const statuses: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    statuses.push((await send(listener, person, uploadId, 'hello', { token: undefined })).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
  expect((await announce(listener, person, uploadId, { files: manifestOf(SITE) })).status).toBe(200);
});

test('a full disk is 507, and nothing of the file is kept', async () => {
  await using app = await createTestApp();
  const { listener, person, uploadId } = await open(app);
  await using _listener = listener;
  await announce(listener, person, uploadId, { files: manifestOf(SITE) });
  app.providers.store = await createDiskStore({
    folder: `${app.folder}/artifacts`,
    minFreeBytes: Number.MAX_SAFE_INTEGER,
    rateCounters: createRateCounters(),
  });
  expect(await send(listener, person, uploadId, 'hello')).toMatchObject({
    status: 507,
    body: { code: 'storage_full' },
  });
  expect(await app.providers.store.has(HELLO)).toBe(false);
});
