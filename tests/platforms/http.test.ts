import { createServer, type IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createHolding } from '../../server/connections/patience.ts';
import { EgressError } from '../../server/lib/egress/egress.ts';
import { redactedAnswer, redactedLine, waitHintMs } from '../../server/lib/egress/vendor-answers.ts';
import { AppError } from '../../server/lib/errors.ts';
import { platformError } from '../../server/publishing/platforms/failures.ts';
import { addressFrom, ask, LONG_LIST, makeOnce, type Vendor } from '../../server/publishing/platforms/http.ts';
import { stateOf } from '../../server/publishing/platforms/wait-until-done.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { platformHarness } from '../support/platform-harness.ts';
import { refusalOf } from '../support/refusal.ts';
import { requestHandler } from '../support/request-handler.ts';

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
  expect(redactedLine('<h1>No</h1>\n token  s3cret\u0000!', ['s3cret', null])).toBe('No token … !');
  expect(redactedLine('x'.repeat(500), [])).toHaveLength(201);
});

test('a whole answer keeps its lines, and neither markup, secrets nor more than is read', () => {
  const page =
    '<html><style>p { top: 0 }</style>\n\n<p>Bad  s3cret</p>\r\n<script>alert(1)</script>\u0007gateway</html>';
  expect(redactedAnswer(502, page, [null, 's3cret'])).toBe('HTTP 502\nBad …\ngateway');
  expect(redactedAnswer(204, '', [])).toBe('HTTP 204');
  // What is left of a secret at the end of what is read would be a secret no less.
  const cutWithin = redactedAnswer(500, `${'x'.repeat(1_988)}s3cret`, ['s3cret']);
  expect(cutWithin).toHaveLength(1_998);
  expect(cutWithin).not.toContain('s3');
  expect(redactedAnswer(500, 'y'.repeat(20_000_000), [])).toHaveLength(2_001);
  expect(redactedAnswer(500, '<'.repeat(16_000_000), [])).toHaveLength(2_001);
});

test('a sentence names the platform, what it said, and the remedy with its link', () => {
  const error = platformError('payment_required', 'Heroku', { said: 'Card expired.', link: 'https://example.com/pay' });
  expect(error.message).toBe('Heroku asks for a payment or a payment method first: Card expired.');
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

const anything = z.object({});

type Reply = { status?: number; headers?: Record<string, string>; body?: string | AsyncIterable<Buffer> };

/** Returns a platform that gives these answers in turn, over HTTP. */
async function answering(replies: Reply[]) {
  const heard: { line: string; headers: IncomingHttpHeaders; bytes: number }[] = [];
  const server = createServer(
    requestHandler(async (request, response) => {
      let bytes = 0;
      for await (const piece of request) bytes += piece.length;
      heard.push({ line: `${request.method} ${request.url}`, headers: request.headers, bytes });
      const { status = 200, headers = {}, body = '{}' } = replies.shift() ?? { status: 410 };
      response.writeHead(status, headers);
      if (typeof body === 'string') return response.end(body);
      await pipeline(body, response).catch(() => undefined);
    }),
  );
  const listening = await atFreePort(server);
  const harness = await platformHarness();
  const vendor: Vendor = { id: 'netlify', title: 'A platform', apiUrl: listening.url, words: () => null };
  return {
    harness,
    heard,
    vendor,
    call: harness.call,
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

test('what creates looks first, and again after an end that is unclear and after a refusal', async () => {
  await using platform = await answering([{ status: 502 }, { status: 422 }]);
  const looks = [null, null, { isFound: true }];
  const looked: number[] = [];
  const made = await makeOnce(platform.call, platform.vendor, {
    look: async () => {
      looked.push(platform.heard.length);
      return looks.shift() ?? null;
    },
    request: { method: 'POST', url: '/sites' },
    shape: z.object({ isFound: z.boolean() }),
  });
  expect(made).toEqual({ isFound: true });
  expect(platform.heard.map(({ line }) => line)).toEqual(['POST /sites', 'POST /sites']);
  // Before each of the two requests, and after the refusal.
  expect(looked).toEqual([0, 1, 2]);
});

test('only a request that says so carries the token, and a presigned address never does', async () => {
  await using api = await answering([{}, {}]);
  await using storage = await answering([{}]);
  await ask(api.call, api.vendor, { url: '/with', withToken: true }, anything);
  await ask(api.call, api.vendor, { url: '/without' }, anything);
  await ask(api.call, api.vendor, { method: 'PUT', url: `${storage.vendor.apiUrl}/presigned?key=1` }, anything);
  expect(api.heard.map(({ headers }) => headers.authorization)).toEqual(['Bearer a-secret-token', undefined]);
  expect(storage.heard.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  const led = ask(api.call, api.vendor, { url: `${storage.vendor.apiUrl}/`, withToken: true }, anything);
  await expect(led).rejects.toThrow('must not be sent to');
  expect(storage.heard).toHaveLength(1);
});

test('a token follows a redirect within the API, and none that leads elsewhere', async () => {
  await using storage = await answering([{}]);
  const elsewhere = { status: 302, headers: { location: `${storage.vendor.apiUrl}/log` } };
  await using api = await answering([{ status: 301, headers: { location: '/renamed' } }, elsewhere]);
  await ask(api.call, api.vendor, { url: '/repository', withToken: true }, anything);
  expect(api.heard.map(({ line }) => line)).toEqual(['GET /repository', 'GET /renamed']);
  expect(api.heard.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer a-secret-token',
    'Bearer a-secret-token',
  ]);
  expect(storage.heard.map(({ line, headers }) => [line, headers.authorization])).toEqual([['GET /log', undefined]]);
});

test('a token that is refused is reported, an address that needs none is not', async () => {
  await using platform = await answering([{ status: 401 }, { status: 401 }]);
  const { call, vendor } = platform;
  await expect(ask(call, vendor, { url: '/user', withToken: true }, anything)).rejects.toMatchObject({
    code: 'credentials_invalid',
  });
  await expect(ask(call, vendor, { url: '/presigned' }, anything)).rejects.toMatchObject({
    code: 'credentials_invalid',
  });
  expect(platform.harness.refused).toEqual(['netlify']);
});

test('trouble of the store in the middle of a request is its own error, and is not the platform’s', async () => {
  await using platform = await answering([]);
  const chunks = (async function* () {
    yield Buffer.alloc(1_000);
    throw new AppError('artifact_corrupted', 'A file is damaged.');
  })();
  const body = async () => ({ sizeBytes: 2_000, chunks });
  const sent = ask(platform.call, platform.vendor, { method: 'PUT', url: '/f', body }, anything);
  await expect(sent).rejects.toMatchObject({ code: 'artifact_corrupted' });
});

const MIB = 1024 * 1024;

test('an answer has a mebibyte, unless the request is for a list that needs more', async () => {
  const body = JSON.stringify({ text: 'x'.repeat(MIB) });
  await using platform = await answering(Array.from({ length: 6 }, () => ({ body })));
  await ask(platform.call, platform.vendor, { url: '/', answersWith: LONG_LIST }, anything);
  const refused = ask(platform.call, platform.vendor, { url: '/' }, anything);
  await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('too long') });
});

test('the texts of an answer are cut, and without the secrets of the call', async () => {
  const name = `a-secret-token, an/other ${'x'.repeat(100_000)}`;
  const body = `{"list":[{"name":"${name}","deep":{"note":"a-secret-\u0074oken"}}]}`;
  await using platform = await answering([{ body }]);
  const shape = z.object({ list: z.array(z.object({ name: z.string(), deep: z.object({ note: z.string() }) })) });
  const vendor = { ...platform.vendor, secrets: ['an/other'] };
  const { list } = await ask(platform.call, vendor, { url: '/', withToken: true }, shape);
  expect(list.map((one) => [one.name.slice(0, 5), one.name.length, one.deep.note])).toEqual([['…, … ', 65_537, '…']]);
});

test('a refusal is looked through up to a length, and told of in one short line', async () => {
  const told = (message: string) => ({ status: 422, body: JSON.stringify({ message }) });
  await using platform = await answering([told('x'.repeat(70_000)), told(`too\u0007 ${'long '.repeat(10_000)}`)]);
  const words = (body: unknown) => z.object({ message: z.string() }).safeParse(body).data?.message ?? null;
  const vendor = { ...platform.vendor, words };
  const messages = [];
  for (let round = 0; round < 2; round += 1) {
    messages.push((await refusalOf(ask(platform.call, vendor, { url: '/' }, anything))).message);
  }
  expect(messages[0]).toBe('A platform could not complete the request: status 422.');
  expect(messages[1]).toMatch(/^A platform could not complete the request: too long long .{180,200}…\.$/);
});

test('what an adapter says of a failure in the words of a platform is one short line, whoever cut it', () => {
  const { message } = platformError('platform_failed', 'A platform', { said: `bad\u0000\n${'x'.repeat(1_000)}` });
  expect(message).toBe(`A platform could not complete the request: bad ${'x'.repeat(196)}….`);
});

test('the rest of a minute is waited for, also when a whole second ends it, and anything longer is left to the queue', async () => {
  await using platform = await answering([
    { status: 429, headers: { 'retry-after': '61' } },
    {},
    { status: 429, headers: { 'retry-after': '62' } },
  ]);
  await ask(platform.call, platform.vendor, { url: '/' }, anything);
  expect(platform.harness.waits).toEqual([61_000]);
  const refused = ask(platform.call, platform.vendor, { url: '/' }, anything);
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 62_000 });
  expect(platform.heard).toHaveLength(3);
});

test('the worker of a job is held for twenty seconds of a platform’s pace in all, and the rest is left to the queue', async () => {
  const limited = { status: 429, headers: { 'retry-after': '15' } };
  await using platform = await answering([limited, {}, limited]);
  let now = 0;
  const call = { ...platform.call, mayHold: createHolding(true, () => now) };
  await ask(call, platform.vendor, { url: '/' }, anything);
  expect(platform.harness.waits).toEqual([15_000]);
  now = 15_000;
  const refused = ask(call, platform.vendor, { url: '/' }, anything);
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 15_000 });

  now = 0;
  const mayHold = createHolding(true, () => now);
  const held = [mayHold(12_000), mayHold(9_000)];
  // The two ran at the same time.
  now = 12_000;
  expect([...held, mayHold(9_000), mayHold(8_000)]).toEqual([true, true, false, true]);
  // A job that holds a place of those who send leaves it sooner, for one of those who wait.
  expect([createHolding(false)(3_000), createHolding(false)(1_000)]).toEqual([false, true]);
});

test('a wait that would be for years is one of an hour', async () => {
  await using platform = await answering([{ status: 429, headers: { 'retry-after': '99999999999' } }]);
  await expect(ask(platform.call, platform.vendor, { url: '/' }, anything)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 3_600_000,
  });
});

test('an answer that trickles without an end is left, and a slow line has time for its body', async () => {
  const trickle = async function* () {
    for (;;) {
      yield Buffer.from(' ');
      await delay(20);
    }
  };
  await using platform = await answering([...Array.from({ length: 5 }, () => ({ body: trickle() })), {}]);
  const brief = { ...platform.vendor, exchangeMs: 200 };
  await expect(ask(platform.call, brief, { url: '/' }, anything)).rejects.toMatchObject({
    code: 'platform_down',
    message: expect.stringContaining('no whole answer in time'),
  });
  const slowly = (async function* () {
    for (let piece = 0; piece < 10; piece += 1) {
      await delay(40);
      yield Buffer.alloc(10_000);
    }
  })();
  // Its bytes give it eight seconds, of which it takes half of one: more than an exchange has without a body.
  const body = async () => ({ sizeBytes: 100_000, chunks: slowly });
  await expect(ask(platform.call, brief, { method: 'PUT', url: '/f', body }, anything)).resolves.toEqual({});
});

test('a peer that is slow and moves is waited for, in both directions', async () => {
  const trickle = async function* () {
    for (const piece of ['{', ' ', ' ', ' ', '}']) {
      await delay(60);
      yield Buffer.from(piece);
    }
  };
  await using platform = await answering([{ body: trickle() }]);
  const patient = { ...platform.vendor, silenceMs: 250 };
  const body = async () => ({ sizeBytes: 5, chunks: trickle() });
  // Longer as a whole, each way, than nothing may move.
  await expect(ask(platform.call, patient, { method: 'PUT', url: '/f', body }, anything)).resolves.toEqual({});
  expect(platform.heard.map(({ bytes }) => bytes)).toEqual([5]);
});

test.each([
  ['a-site.example.app', 'https://api.example.com', 'https://a-site.example.app'],
  ['127.0.0.1:4000', 'http://127.0.0.1:9', 'http://127.0.0.1:4000'],
  ['https://a-site.example.app/', 'http://127.0.0.1:9', 'https://a-site.example.app'],
])('the answered address %s of %s is opened as %s', (answered, apiUrl, expected) => {
  expect(addressFrom({ id: 'vercel', title: 'A platform', apiUrl, words: () => null }, answered)).toBe(expected);
});

test('an answered address that is none of the web is refused', () => {
  const vendor: Vendor = { id: 'vercel', title: 'A platform', apiUrl: 'https://api.example.com', words: () => null };
  for (const answered of ['file:///etc/passwd', 'javascript://x', '', `a.example/${'x'.repeat(8_000)}`]) {
    expect(() => addressFrom(vendor, answered), answered).toThrow('cannot be opened');
  }
});

test.each([
  ['stays silent', new EgressError('silent', 'no answer in time'), 'no answer in time'],
  ['cannot be found', notFound(), 'This Fairlead cannot find the address of A platform: it may have no network.'],
])('of a platform that %s it is said so', async (_what, error, said) => {
  await using harness = await platformHarness();
  const request = () => Promise.reject(error);
  const call = { ...harness.call, egress: { ...harness.call.egress, request } };
  const vendor: Vendor = { id: 'netlify', title: 'A platform', apiUrl: 'https://api.test', words: () => null };
  await expect(ask(call, vendor, { url: '/' }, z.unknown())).rejects.toMatchObject({
    code: 'platform_down',
    message: expect.stringContaining(said),
  });
});

function notFound(): EgressError {
  const cause = Object.assign(new Error('queryA ENOTFOUND api.test'), { code: 'ENOTFOUND', syscall: 'queryA' });
  return new EgressError('unknown_name', 'this address does not exist', cause);
}
