import { createHash, randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { codingsFor } from '../../server/host/responses/encoding.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createTestHost, publishSite, shareHost } from '../support/host.ts';

const TEXT = 'Tie the rope well. '.repeat(400);
const PAGE = `<!doctype html><p>${TEXT}</p>`;
const tagOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const accepting = (coding: string, more: Record<string, string> = {}) => ({
  headers: { 'Accept-Encoding': coding, ...more },
});

const theHost = shareHost();

test('a text file is compressed when it is first asked for, and what is tiny or no text is sent as it is', async () => {
  const site = await theHost();
  await publishSite(site, 'pressed', { 'index.html': PAGE, 'tiny.css': 'a{}', 'noise.bin': TEXT });
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
  const site = await theHost();
  await publishSite(site, 'judged', { 'index.html': PAGE, '404.html': `${PAGE}404` });
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

test('a large text is compressed as well, and leaves in pieces where it is large even then', async () => {
  const site = await theHost();
  const noise = randomBytes(1_100_000).toString('hex');
  await publishSite(site, 'large', { 'data.json': JSON.stringify([noise]) });
  for (const [coding, read] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await site.get('large', '/data.json', accepting(coding));
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.body.length).toBeGreaterThan(1024 * 1024);
    expect(JSON.parse(read(answer.body).toString())).toEqual([noise]);
  }
});

test('what hardly shrinks, and what comes while too many wait, is sent as it is', async () => {
  const rateCounters = createRateCounters();
  await using site = await createTestHost({ providers: { rateCounters } });
  await publishSite(site, 'plain', { 'index.html': PAGE, 'noise.txt': randomBytes(3_000) });
  expect((await site.get('plain', '/noise.txt', accepting('br'))).headers['content-encoding']).toBeUndefined();

  const slots = { limit: 2, queueLength: 8 };
  const taken = Array.from({ length: 10 }, () => rateCounters.takeSlot('compressed files', slots));
  const busy = await site.get('plain', '/', accepting('br'));
  expect([busy.status, busy.headers['content-encoding'], busy.text]).toEqual([200, undefined, PAGE]);
  for (const place of taken) (await place)?.();
  expect((await site.get('plain', '/', accepting('br'))).headers['content-encoding']).toBe('br');
});

test('many visitors who come at once for one file have it read and compressed once', async () => {
  await using site = await createTestHost();
  await publishSite(site, 'once', { 'index.html': PAGE });
  const open = vi.spyOn(site.providers.store, 'open');
  const answers = await Promise.all(Array.from({ length: 10 }, () => site.get('once', '/', accepting('gzip'))));
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(Array(10).fill('gzip'));
  // The list of files, and the page, whose bytes are at hand for compressing once they have been looked at.
  expect(open).toHaveBeenCalledTimes(2);
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
