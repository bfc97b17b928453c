import { once } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { AppError } from '../../server/errors.ts';
import { cleanAnswer, cleanWords, platformError } from '../../server/platforms/failures.ts';
import { ask, makeOnce, type Vendor, waitHintMs } from '../../server/platforms/http.ts';
import { stateOf } from '../../server/platforms/wait-until-done.ts';
import { platformBench } from '../support/platform-bench.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const IN_90_S = NOW.getTime() / 1_000 + 90;

test.each([
  ['seconds', 429, { 'retry-after': '90' }, 90_000],
  ['a date', 503, { 'retry-after': 'Sat, 21 Nov 2026 12:01:30 GMT' }, 90_000],
  ['seconds since 1970', 429, { 'x-ratelimit-reset': String(IN_90_S) }, 90_000],
  ['a date as the reset', 429, { 'x-ratelimit-reset': '2026-11-21T12:01:30Z' }, 90_000],
  ['seconds as the reset', 429, { 'ratelimit-reset': '90' }, 90_000],
  [
    'a limit that is used up, said with 403',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(IN_90_S) },
    90_000,
  ],
  ['a reset that refused nothing', 500, { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': String(IN_90_S) }, 0],
  ['a time that is over', 429, { 'x-ratelimit-reset': String(IN_90_S - 600) }, 0],
  ['nothing', 429, {}, 0],
  ['nonsense', 429, { 'retry-after': 'soon' }, 0],
] as const)('the wait that a platform asks for is read from %s', (_what, status, headers, waitMs) => {
  expect(waitHintMs(status, new Headers(headers), NOW)).toBe(waitMs);
});

test('the words of a platform are shown without markup, secrets and line breaks, and cut', () => {
  expect(cleanWords('<h1>No</h1>\n token  s3cret\u0000!', ['s3cret', null])).toBe('No token … !');
  expect(cleanWords('x'.repeat(500), [])).toHaveLength(201);
});

test('a whole answer keeps its lines, and neither markup, secrets nor more than is read', () => {
  const page =
    '<html><style>p { top: 0 }</style>\n\n<p>Bad  s3cret</p>\r\n<script>alert(1)</script>\u0007gateway</html>';
  expect(cleanAnswer(502, page, [null, 's3cret'])).toBe('HTTP 502\nBad …\ngateway');
  expect(cleanAnswer(204, '', [])).toBe('HTTP 204');
  // What is left of a secret at the end of what is read would be a secret no less.
  const cutWithin = cleanAnswer(500, `${'x'.repeat(1_988)}s3cret`, ['s3cret']);
  expect(cutWithin).toHaveLength(1_998);
  expect(cutWithin).not.toContain('s3');
  expect(cleanAnswer(500, 'y'.repeat(20_000_000), [])).toHaveLength(2_001);
  expect(cleanAnswer(500, '<'.repeat(16_000_000), [])).toHaveLength(2_001);
});

test('a sentence names the platform, what it said, and the remedy with its link', () => {
  const error = platformError('payment_required', 'Heroku', { said: 'Card expired.', link: 'https://example.com/pay' });
  expect(error.message).toBe('Heroku asks for a payment or a means of payment first: Card expired.');
  expect(error.hint).toBe('Settle it at Heroku, then try again. https://example.com/pay');
});

test('a word that nobody knows means to wait', () => {
  const table = { ready: 'verifying', error: 'failed' } as const;
  expect([stateOf(table, 'ready'), stateOf(table, 'constructor'), stateOf(table, null)]).toEqual([
    'verifying',
    'processing',
    'processing',
  ]);
});

const vendor: Vendor = { title: 'A platform', words: () => null };
const anything = z.object({});

async function callOf(answers: (() => Promise<Response>)[]) {
  const bench = await platformBench();
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push(`${init?.method} ${String(input)}`);
    return answers.shift()?.() ?? Promise.reject(new Error('one request too many'));
  };
  return { bench, asked, call: { ...bench.call, fetch } };
}

const status = (code: number) => async () => new Response('{}', { status: code });

test('an answer that stays out is given up, also when garbage is collected meanwhile', async () => {
  await using bench = await platformBench();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Garbage cannot be collected here.');
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  const asking = ask({ ...bench.call, fetch: globalThis.fetch }, { ...vendor, timeoutMs: 50 }, { url }, anything);
  const collecting = setInterval(() => collect(), 10);
  try {
    await expect(asking).rejects.toMatchObject({
      code: 'platform_down',
      message: expect.stringContaining('no answer in time'),
    });
  } finally {
    clearInterval(collecting);
    silent.closeAllConnections();
    silent.close();
  }
}, 30_000);

test('what creates looks first, and again after an end that is unclear and after a refusal', async () => {
  const { bench, asked, call } = await callOf([status(502), status(422)]);
  await using _bench = bench;
  const looks = [null, null, { isFound: true }];
  const made = await makeOnce(call, vendor, {
    look: async () => {
      asked.push('look');
      return looks.shift() ?? null;
    },
    request: { method: 'POST', url: 'https://api.example.com/sites' },
    shape: z.object({ isFound: z.boolean() }),
  });
  expect(made).toEqual({ isFound: true });
  expect(asked).toEqual([
    'look',
    'POST https://api.example.com/sites',
    'look',
    'POST https://api.example.com/sites',
    'look',
  ]);
});

test('a token does not follow to another address', async () => {
  const { bench, call } = await callOf([]);
  await using _bench = bench;
  let seen: RequestInit | undefined;
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    seen = init;
    return new Response('{}');
  };
  await ask({ ...call, fetch }, vendor, { url: 'https://api.example.com/' }, anything);
  expect(seen?.redirect).toBe('error');
  expect(new Headers(seen?.headers).get('authorization')).toBe('Bearer a-secret-token');
});

test('trouble of the store in the middle of a request is its own error, and is not the platform’s', async () => {
  const { bench, call } = await callOf([]);
  await using _bench = bench;
  const body = () => Promise.reject(new AppError('artifact_damaged', 'A file is damaged.'));
  const sent = ask(call, vendor, { method: 'PUT', url: 'https://api.example.com/f', body }, anything);
  await expect(sent).rejects.toMatchObject({ code: 'artifact_damaged' });
});

test('an answer without an end is not read for ever', async () => {
  const endless = async () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(4 * 1024 * 1024)) }));
  const { bench, call } = await callOf(Array.from({ length: 5 }, () => endless));
  await using _bench = bench;
  await expect(ask(call, vendor, { url: 'https://api.example.com/' }, anything)).rejects.toMatchObject({
    code: 'platform_down',
  });
});
