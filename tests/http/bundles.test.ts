import { hash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ArtifactModel } from '../../server/database/models/publishing/artifact.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { bundleReadingSteps } from '../../server/publishing/uploads/bundle.ts';
import { receiveManifest } from '../../server/publishing/uploads/index.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';
import { contextOf, manifestOf, sha256Of } from '../support/publishing.ts';

/** Files that travel together in one body: `POST /api/uploads/{uploadId}/files`. */
const TEXTS = ['first', '', 'second, which is longer', 'third'];

const part = (text: string, sha256 = sha256Of(text)): string => `${sha256}\n${text}`;

type Opened = { url: string; person: Person; headers: Record<string, string> };

async function call({ url, headers }: Opened, init: { body?: string; method?: string } = {}) {
  const method = init.body === undefined ? 'GET' : 'POST';
  const answer = await fetch(url, { method, headers, ...init });
  const text = await answer.text();
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, retryAfter, body: text === '' ? null : JSON.parse(text) };
}

async function open(app: TestApp, listener: Listening, texts = TEXTS): Promise<Opened> {
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  const site = Object.fromEntries(texts.map((text, number) => [`${number}.txt`, text]));
  await receiveManifest(await contextOf(app, person), uploadId, { files: manifestOf(site) });
  const headers = { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/octet-stream' };
  return { url: `${listener.url}/api/uploads/${uploadId}/files`, person, headers };
}

/** Tells when what came first has been taken. */
async function* telling(body: AsyncIterable<Uint8Array>, onTaken: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    onTaken();
  }
}

async function missing(opened: Opened): Promise<string[]> {
  return (await call(opened)).body.missing;
}

const theApp = shareApp();

test('many files arrive in one body, a second time without harm, and only their owner may send them', async () => {
  const { app, listener } = await theApp();
  const texts = Array.from({ length: 300 }, (_, number) => `${number}`.repeat(number));
  const opened = await open(app, listener, texts);
  expect(await missing(opened)).toHaveLength(300);
  const body = texts.map((text) => part(text)).join('');
  for (let time = 0; time < 2; time += 1)
    expect(await call(opened, { body })).toEqual({ status: 204, retryAfter: null, body: null });
  expect(await missing(opened)).toEqual([]);
  const { accountId } = await contextOf(app, opened.person).then(({ actor }) => actor);
  expect(await ArtifactModel.countDocuments({ accountId })).toBe(300);
  for (const text of texts.slice(-3)) {
    expect(String(await app.providers.store.readWhole(sha256Of(text)))).toBe(text);
  }

  const { headers } = await open(app, listener);
  for (const other of [
    { ...opened, headers },
    { ...opened, headers: { 'content-type': headers['content-type'] ?? '' } },
  ])
    expect((await call(other, { body })).status).toBe(other.headers === headers ? 404 : 401);
  expect((await call({ ...opened, headers })).status).toBe(404);
  const typed = { ...opened, headers: { ...opened.headers, 'content-type': 'text/plain' } };
  expect((await call(typed, { body })).status).toBe(415);
});

test.each([
  {
    what: 'bytes that are not those of the hash',
    body: part('SECOND, which is longer', sha256Of('second, which is longer')),
    code: 'hash_mismatch',
    field: true,
  },
  {
    what: 'an end in the middle of a file',
    body: part('second', sha256Of('second, which is longer')),
    code: 'hash_mismatch',
    field: true,
  },
  { what: 'an end in the middle of a hash', body: sha256Of('second, which is longer').slice(9), code: 'bad_request' },
  { what: 'more than the list says', body: 'and more', code: 'bad_request' },
  { what: 'a hash in capital letters', body: `${sha256Of('third').toUpperCase()}\nthird`, code: 'bad_request' },
  { what: 'a file that no list names', body: part('fourth'), code: 'hash_unannounced', field: true },
  { what: 'a file that is there twice', body: part('first'), code: 'bad_request', field: true },
  { what: 'a hundred thousand empty files', body: part('').repeat(100_000), code: 'bad_request', field: true },
])('$what is refused by its name, and what came whole before it is kept', async ({ body, code, field = false }) => {
  const { app, listener } = await theApp();
  const opened = await open(app, listener);
  const answer = await call(opened, { body: part('first') + body + part('third') });
  expect(answer.body.code).toBe(code);
  expect(answer.body.field).toEqual(field ? body.slice(0, 64) : undefined);
  const left = await missing(opened);
  expect(left).not.toContain(sha256Of('first'));
  expect(left).toEqual(expect.arrayContaining(['second, which is longer', 'third'].map((text) => sha256Of(text))));
  expect((await call(opened, { body: TEXTS.map((text) => part(text)).join('') })).status).toBe(204);
  expect(await missing(opened)).toEqual([]);
});

test('a body that is cut off keeps the files that came whole, and the rest is missing', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const opened = await open(app, listener);
  const { zips } = app.providers;
  const arrived = new Promise<void>((resolve) => {
    app.providers.zips = { ...zips, spool: (body, use) => zips.spool(telling(body, resolve), use) };
  });
  const outgoing = request(opened.url, { method: 'POST', headers: { ...opened.headers, 'content-length': '1000' } });
  outgoing.on('error', () => undefined);
  outgoing.write(part('first') + part('second, which is longer').slice(0, -1));
  await arrived;
  outgoing.destroy();
  await expect.poll(() => missing(opened)).not.toContain(sha256Of('first'));
  expect(await missing(opened)).toHaveLength(TEXTS.length - 1);
});

test('a body that is too large is refused: by its length before anything of it is read, else as it comes', async () => {
  const { app, listener } = await theApp();
  const opened = await open(app, listener);
  const tooMany = UPLOAD_LIMITS.maxBundleBytes + 1;
  for (const headers of [{ 'content-length': String(tooMany) }, { 'transfer-encoding': 'chunked' }]) {
    const status = await new Promise((resolve, reject) => {
      const outgoing = request(opened.url, { method: 'POST', headers: { ...opened.headers, ...headers } }, (answer) => {
        resolve(answer.resume().statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
      if ('transfer-encoding' in headers) outgoing.write(Buffer.alloc(tooMany));
    });
    expect(status).toBe(413);
  }
});

test('a large file in a body is hashed a piece at a time, so that others get their turn', () => {
  const bytes = Buffer.alloc(1024 ** 2 + 1, 'large');
  const [sha256, sizeBytes] = [hash('sha256', bytes), bytes.length];
  const body = Buffer.concat([Buffer.from(`${sha256}\n`), bytes]);
  const steps = bundleReadingSteps(body, new Map([[sha256, { sha256, sizeBytes }]]));
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses += 1;
  expect(pauses).toBeGreaterThan(4);
  expect(step.value).toMatchObject({
    files: [{ info: { sha256, sha1: hash('sha1', bytes), sizeBytes } }],
    fault: null,
  });
});

test('bytes of files that travel together count as those of others, and a full disk takes none of them', async () => {
  await using app = await createTestApp({ limits: { uploadBytesPerDay: 750 } });
  await using listener = await listen(app);
  const opened = await open(app, listener);
  const body = TEXTS.map((text) => part(text)).join('');
  const { store } = app.providers;
  const folder = `${app.folder}/artifacts`;
  app.providers.store = await createDiskStore({
    folder,
    minFreeBytes: Number.MAX_SAFE_INTEGER,
    rateCounters: createRateCounters(),
  });
  expect(await call(opened, { body })).toMatchObject({ status: 507, body: { code: 'storage_full' } });
  expect(await store.has(sha256Of('first'))).toBe(false);
  app.providers.store = store;
  expect(await call(opened, { body })).toMatchObject({ status: 429, body: { code: 'quota_exhausted' } });

  // A long body is refused before it comes, and one that is too long on any day says that.
  const refusals = [
    [2 * 1024 ** 2, 429],
    [UPLOAD_LIMITS.maxBundleBytes + 1, 413],
  ] as const;
  for (const [sizeBytes, status] of refusals) {
    const long = request(opened.url, { method: 'POST', headers: { ...opened.headers, 'content-length': sizeBytes } });
    long.flushHeaders();
    const [answer] = await once(long, 'response');
    expect(answer.statusCode).toBe(status);
    long.destroy();
  }
});

test('more bodies of an account than may wait are refused for a second, and none of their files is kept', async () => {
  const { app, listener } = await theApp();
  const opened = await open(app, listener);
  const { accountId } = (await contextOf(app, opened.person)).actor;
  const stored = Array.from({ length: 2 + 8 }, () =>
    app.providers.rateCounters.takeSlot(`bundles of ${accountId}`, { limit: 2, queueLength: 8 }),
  );
  const body = TEXTS.map((text) => part(text)).join('');
  expect(await call(opened, { body })).toMatchObject({
    ...{ status: 503, retryAfter: '1', body: { code: 'overloaded' } },
  });
  expect(await missing(opened)).toHaveLength(TEXTS.length);

  for (const slot of stored) (await slot)?.();
  expect((await call(opened, { body })).status).toBe(204);
});
