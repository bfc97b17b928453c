import { EventEmitter, once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireHostName } from '../../server/http/security.ts';
import { MAILED_LINK_PATHS } from '../../server/lib/mailed-links.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';

const PAGE = { Accept: 'text/html' };
const INDEX = '<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>';

/** Returns a web app as the build leaves it. */
async function webRoot({ folder }: TestApp): Promise<string> {
  const root = join(folder, 'web');
  for (const inner of ['assets', '.well-known', '.vite']) await mkdir(join(root, inner), { recursive: true });
  await writeFile(join(root, 'index.html'), INDEX);
  await writeFile(join(root, 'assets/main-abc123.js'), 'console.log(1)');
  await writeFile(join(root, 'assets/main-abc123.js.br'), 'packed');
  await writeFile(join(root, 'theme.js'), 'theme()');
  await writeFile(join(root, '.well-known/security.txt'), 'Contact: mailto:a@example.com');
  await writeFile(join(root, '.vite/manifest.json'), '{}');
  return root;
}

type Raw = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

/** Sends a request as a browser or a script sends it, since `fetch` sets and hides headers of its own. */
function send(
  { port }: Listening,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { Host: `localhost:${port}`, ...headers },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      });
    });
    outgoing.end(body);
  });
}

const HASH = '$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const JSON_TYPE = { 'Content-Type': 'application/json' };

const theApp = shareApp();

test('a page carries the policy, with a nonce of its own in every answer', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  const first = await send(listener, 'GET', '/dashboard', PAGE);
  const second = await send(listener, 'GET', '/', PAGE);

  const nonce = /nonce="([^"]+)"/.exec(first.text)?.[1] ?? '';
  expect(first.status).toBe(200);
  expect(first.text).not.toContain('__CSP_NONCE__');
  expect(first.text.split(nonce)).toHaveLength(3);
  expect(second.text).not.toContain(nonce);
  expect(String(first.headers['content-security-policy']).split(';')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://localhost:${listener.port}`,
    'frame-src http://*.localhost:3001',
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ]);
  expect(first.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy-report-only': "require-trusted-types-for 'script'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  });
  expect(first.headers).not.toHaveProperty('strict-transport-security');
  expect(first.headers).not.toHaveProperty('x-powered-by');
});

test('pages that a mailed secret leads to say nothing of where they were opened', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  for (const path of Object.values(MAILED_LINK_PATHS))
    expect((await send(listener, 'GET', path, PAGE)).headers['referrer-policy'], path).toBe('no-referrer');
  expect((await send(listener, 'GET', '/auth', PAGE)).headers['referrer-policy']).toBe('same-origin');
});

test('https alone is promised for the future', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });
  app.providers.addresses = { ...app.providers.addresses, publicUrl: 'https://fairlead.test' };
  const host = { Host: 'fairlead.test' };

  const page = await send(listener, 'GET', '/', { ...PAGE, ...host });
  const call = await send(listener, 'GET', '/api/trpc/disclaimer.status', host);

  for (const answer of [page, call]) {
    expect(answer.status).toBe(200);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
  }
  expect(page.headers['content-security-policy']).toContain("connect-src 'self' wss://fairlead.test;");
});

test('answers of the API are kept by nobody', async () => {
  const { listener } = await theApp();

  for (const path of ['/api/user', '/api/nothing', '/api/health', '/api/trpc/user.get', '/api/trpc/nothing']) {
    const { headers } = await send(listener, 'GET', path);
    expect(headers['cache-control'], path).toBe('no-store');
    expect(headers['x-request-id'], path).toEqual(expect.any(String));
  }
  const { headers } = await send(listener, 'GET', '/api/trpc/user.get');
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' });
});

test('files with a hash in their name are kept for ever, others are asked for again', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  const hashed = await send(listener, 'GET', '/assets/main-abc123.js');
  const plain = await send(listener, 'GET', '/theme.js');
  const again = await send(listener, 'GET', '/theme.js', { 'If-None-Match': String(plain.headers.etag) });
  const packed = await send(listener, 'GET', '/assets/main-abc123.js', { 'Accept-Encoding': 'gzip, br;q=1' });
  const head = await send(listener, 'HEAD', '/theme.js');

  expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(hashed.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(plain.headers['cache-control']).toBe('no-cache');
  expect(again.status).toBe(304);
  expect([packed.headers['content-encoding'], packed.headers.vary, packed.text]).toEqual([
    'br',
    'Accept-Encoding',
    'packed',
  ]);
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '7', '']);
});

test('of hidden folders /.well-known alone is served, and nothing outside the folder', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  expect((await send(listener, 'GET', '/.well-known/security.txt')).text).toContain('Contact:');
  for (const path of [
    '/.vite/manifest.json',
    '/assets/none.js',
    '/assets/../../package.json',
    '/..%2f..%2fpackage.json',
  ]) {
    expect((await send(listener, 'GET', path)).status, path).toBe(404);
  }
});

test('a page under another name is led to the public address', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  const other = await send(listener, 'GET', '/pricing?a=1', { ...PAGE, Host: 'evil.test' });
  const number = await send(listener, 'GET', '/pricing', { ...PAGE, Host: `127.0.0.1:${listener.port}` });

  expect([other.status, other.headers.location]).toEqual([308, `${listener.origin}/pricing?a=1`]);
  expect(number.status).toBe(200);
});

test.each(['/api/refresh-token', '/api/login', '/api/trpc/auth.refresh', '/api/uploads/x/manifest', '/api/nothing'])(
  'a call of %s from another site is refused with the address that is right',
  async (path) => {
    const { listener } = await theApp();
    const method = path.includes('uploads') ? 'PUT' : 'POST';

    for (const headers of [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { Origin: `http://localhost.evil.test:${listener.port}` },
      { Origin: listener.origin, 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const answer = await send(listener, method, path, { ...JSON_TYPE, ...headers }, '{}');
      expect(answer.status, JSON.stringify(headers)).toBe(403);
      expect(answer.text).toContain('origin_foreign');
      expect(answer.text).toContain(listener.origin);
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
  },
);

test('a method that no request may have is refused, and no fault of the server', async () => {
  await using app = await createTestApp();
  await using listening = await listen(app);
  expect((await send(listening, 'TRACE', '/api/trpc/contact.get')).status).toBe(405);
});

test('the own origin may call, by name and by number, and so may a script that names none', async () => {
  const { listener } = await theApp();

  for (const headers of [
    {},
    { Origin: listener.origin, 'Sec-Fetch-Site': 'same-origin' },
    { Origin: `http://127.0.0.1:${listener.port}` },
    { Origin: `http://[::1]:${listener.port}` },
  ]) {
    expect((await send(listener, 'POST', '/api/logout', { ...headers })).status).toBe(200);
  }
});

test('no answer shares itself with other origins', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { webRoot: await webRoot(app) });

  for (const path of ['/', '/api/user', '/api/trpc/disclaimer.status', '/theme.js']) {
    const { headers } = await send(listener, 'GET', path, { Origin: 'https://evil.test' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('a stop answers what is in flight and takes nothing new', async () => {
  await using app = await createTestApp();
  const listener = await listen(app);
  const held = new EventEmitter();
  const asked = once(held, 'asked');
  app.providers.hasher = {
    ...app.providers.hasher,
    hash: async () => {
      const released = once(held, 'released');
      held.emit('asked');
      await released;
      return HASH;
    },
    verify: async () => ({ matches: false, needsRehash: false }),
  };
  const body = JSON.stringify({ username: 'in flight', email: 'in.flight@example.com', password: 'Correct horse 1' });

  const inFlight = send(listener, 'POST', '/api/register', JSON_TYPE, body);
  await asked;
  const stopped = listener.server.stop();
  await expect(send(listener, 'GET', '/api/health')).rejects.toThrow('ECONNREFUSED');
  held.emit('released');

  expect((await inFlight).status).toBe(200);
  await stopped;
});

test('a host of other letters is refused also once many were read', () => {
  const read = (host: string) => requireHostName({ headers: { host } });
  // Node's check of a URL that has become fast reads bytes as UTF-8, which the URL itself does not.
  for (let count = 0; count < 20_000; count += 1) read('localhost');
  for (const bytes of ['d1b862', 'e8b4a2', 'c3a8']) {
    expect(() => read(Buffer.from(bytes, 'hex').toString('latin1'))).toThrow('names no host');
  }
});
