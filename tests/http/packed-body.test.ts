import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Listening, shareApp } from '../support/listen.ts';

const LOGIN = { username: 'nobody at all', password: 'Correct horse 1' };

async function send(listener: Listening, path: string, encoding: string, body: string | Uint8Array) {
  const answer = await fetch(`${listener.url}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
  });
  return { status: answer.status, body: await answer.json() };
}

const theApp = shareApp();

test.each([
  ['gzip', 400, 'bad_request'],
  ['deflate', 400, 'bad_request'],
  ['br', 400, 'bad_request'],
  ['compress', 415, 'body_type_unsupported'],
])('a body that says it is packed with %s and is not is answered with %i', async (encoding, status, code) => {
  const { listener } = await theApp();
  const body = JSON.stringify(LOGIN);
  for (const path of ['/api/login', '/api/feedback']) {
    expect(await send(listener, path, encoding, body)).toMatchObject({
      status,
      body: { code },
    });
  }
});

test('a body that was cut off while packed is refused, and one that is whole is read', async () => {
  const { listener } = await theApp();
  const packed = gzipSync(JSON.stringify(LOGIN));
  expect((await send(listener, '/api/login', 'gzip', packed.subarray(0, -12))).status).toBe(400);
  expect((await send(listener, '/api/login', 'gzip', packed)).status).toBe(401);
});

test('a packed body is no input of a procedure', async () => {
  const { listener } = await theApp();
  const packed = gzipSync(JSON.stringify(LOGIN));
  expect((await send(listener, '/api/trpc/auth.login', 'gzip', packed)).status).toBe(400);
});
