import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ReleaseModel } from '../../server/database/models/release.ts';
import { transaction } from '../../server/database/mongo.ts';
import { codingsFor } from '../../server/host/responses/encoding.ts';
import { makeVariants, saveVariants } from '../../server/services/releases/variants.ts';
import { addRelease, createTestHost, makeLive, type Published, publishSite, type TestHost } from '../support/host.ts';

const ACROSS = { acrossAccounts: 'host' } as const;
const TEXT = 'Tie the rope well. '.repeat(400);
const PAGE = `<!doctype html><p>${TEXT}</p>`;
const tagOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Does what the job does, without the queue. */
async function compress(site: TestHost, { releaseId }: Published): Promise<number> {
  const release = await ReleaseModel.findById(releaseId).setOptions(ACROSS).orFail();
  const made = await makeVariants(site.providers.store, release, {
    signal: new AbortController().signal,
    remainingBytes: 100_000_000,
  });
  await transaction((session) => saveVariants(session, release, made));
  if (!site.hasFeed) await site.host.refresh();
  return made.madeCount;
}

const accepting = (coding: string, more: Record<string, string> = {}) => ({
  headers: { 'Accept-Encoding': coding, ...more },
});

test('right after publishing a site is served as it is, and compressed as soon as the variants are made', async () => {
  await using site = await createTestHost({ changes: 'feed' });
  const published = await publishSite(site, 'pressed', { 'index.html': PAGE, 'tiny.css': 'a{}', 'noise.bin': TEXT });
  await expect.poll(async () => (await site.get('pressed', '/')).status).toBe(200);
  const before = await site.get('pressed', '/', accepting('gzip, br'));
  expect([before.headers['content-encoding'], before.text]).toEqual([undefined, PAGE]);
  expect(await compress(site, published)).toBe(1);
  await expect
    .poll(async () => (await site.get('pressed', '/', accepting('gzip, br'))).headers['content-encoding'])
    .toBe('br');

  const br = await site.get('pressed', '/', accepting('gzip, deflate, br'));
  expect(brotliDecompressSync(br.body).toString()).toBe(PAGE);
  expect(br.headers).toMatchObject({
    etag: `"${tagOf(PAGE)}-br"`,
    vary: 'Accept-Encoding',
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(br.body.length),
  });
  expect(br.headers['accept-ranges']).toBeUndefined();
  const gz = await site.get('pressed', '/', accepting('gzip'));
  expect([gz.headers.etag, gunzipSync(gz.body).toString()]).toEqual([`"${tagOf(PAGE)}-gz"`, PAGE]);
  const plain = await site.get('pressed', '/');
  expect([plain.headers.etag, plain.headers.vary, plain.text]).toEqual([`"${tagOf(PAGE)}"`, 'Accept-Encoding', PAGE]);
  for (const path of ['/tiny.css', '/noise.bin']) {
    expect((await site.get('pressed', path, accepting('br'))).headers['content-encoding']).toBeUndefined();
  }
});

test('conditions are of the body that is sent, ranges of the plain one, HEAD as GET', async () => {
  await using site = await createTestHost();
  await compress(site, await publishSite(site, 'judged', { 'index.html': PAGE, '404.html': `${PAGE}404` }));
  const tag = `"${tagOf(PAGE)}-br"`;
  const known = await site.get('judged', '/', accepting('br', { 'If-None-Match': tag }));
  expect([known.status, known.headers.etag, known.headers.vary]).toEqual([304, tag, 'Accept-Encoding']);
  expect((await site.get('judged', '/', { headers: { 'If-None-Match': tag } })).status).toBe(200);
  const part = await site.get('judged', '/', { headers: { Range: 'bytes=0-8' } });
  expect([part.status, part.text]).toEqual([206, '<!doctype']);
  const whole = await site.get('judged', '/', accepting('br', { Range: 'bytes=0-8' }));
  expect([whole.status, whole.headers['content-range']]).toEqual([200, undefined]);
  const head = await site.get('judged', '/', { ...accepting('br'), method: 'HEAD' });
  expect([head.headers['content-length'], head.body.length]).toEqual([whole.headers['content-length'], 0]);
  const missing = await site.get('judged', '/absent', accepting('br'));
  expect([missing.status, brotliDecompressSync(missing.body).toString()]).toEqual([404, `${PAGE}404`]);
});

test('the next release makes only what is new, and variants last when the release that made them goes', async () => {
  await using site = await createTestHost();
  const files = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`p${index}.html`, `${index}${PAGE}`]));
  const first = await publishSite(site, 'again', files);
  expect(await compress(site, first)).toBe(5);
  const second = await publishSite(site, 'again', { ...files, 'p0.html': `new${PAGE}` });
  expect(await compress(site, second)).toBe(1);
  const [one, two] = await Promise.all(
    [first, second].map(({ releaseId }) => ReleaseModel.findById(releaseId).setOptions(ACROSS).orFail()),
  );
  expect(two?.variants?.packHashes).toEqual(expect.arrayContaining([...(one?.variants?.packHashes ?? ['none'])]));
  expect(two?.variants?.packHashes).toHaveLength(2);
  await ReleaseModel.deleteOne({ _id: first.releaseId }).setOptions(ACROSS);
  await site.restart();
  const old = await site.get('again', '/p4', accepting('br'));
  expect(brotliDecompressSync(old.body).toString()).toBe(`4${PAGE}`);
});

test('what a removed release lent is not named: garbage collection may have it', async () => {
  await using site = await createTestHost();
  const first = await publishSite(site, 'lent', { 'index.html': PAGE });
  await compress(site, first);
  const second = await addRelease(site, 'lent', { 'index.html': PAGE }, 'live');
  await makeLive(second);
  const release = await ReleaseModel.findById(second.releaseId).setOptions(ACROSS).orFail();
  const made = await makeVariants(site.providers.store, release, {
    signal: new AbortController().signal,
    remainingBytes: 100_000_000,
  });
  await ReleaseModel.deleteOne({ _id: first.releaseId }).setOptions(ACROSS);
  await expect(transaction((session) => saveVariants(session, release, made))).rejects.toMatchObject({
    code: 'overloaded',
  });
  expect(await compress(site, second)).toBe(1);
});

test('a variant that is gone or damaged is no reason to fail: the file itself is sent, and the trouble is told', async () => {
  await using site = await createTestHost();
  const published = await publishSite(site, 'broken', { 'index.html': PAGE });
  await compress(site, published);
  const release = await ReleaseModel.findById(published.releaseId).setOptions(ACROSS).orFail();
  const [pack = ''] = release.variants?.packHashes ?? [];
  await rm(join(site.folder, 'artifacts', pack.charAt(0), pack));
  await site.restart();
  const answer = await site.get('broken', '/', accepting('br'));
  expect([answer.status, answer.headers['content-encoding'], answer.text]).toEqual([200, undefined, PAGE]);
  expect(site.lines.some((line) => line.level === 'error' && line.fields.path === 'index.html')).toBe(true);
});

test.each([
  [undefined, ['identity']],
  ['', ['identity']],
  ['gzip, deflate, br, zstd', ['br', 'gzip', 'identity']],
  ['GZIP', ['gzip', 'identity']],
  ['x-gzip', ['gzip', 'identity']],
  ['br;q=0.5, gzip;q=0.8', ['gzip', 'br', 'identity']],
  ['br;q=0, gzip', ['gzip', 'identity']],
  ['identity', ['identity']],
  ['identity, gzip;q=0.5', ['identity', 'gzip']],
  ['*', ['br', 'gzip', 'identity']],
  ['*;q=0', []],
  ['gzip, identity;q=0', ['gzip']],
  ['br;q=nonsense', ['identity']],
  ['brotli', ['identity']],
  [`br,${' '.repeat(500)}`, ['identity']],
])('Accept-Encoding %j is read as %j', (header, codings) => {
  expect(codingsFor(header)).toEqual(codings);
});
