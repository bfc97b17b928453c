import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createTestApp } from '../support/app.ts';
import { type Listening, listen, shareApp } from '../support/listen.ts';
import { manifestOf, sha256Of } from '../support/publishing.ts';

const BODY_MS = 200;
const HELLO = sha256Of('hello');

/** Sends the beginning of a request, and leaves the connection open. */
async function begin({ port }: Listening, lines: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  return socket;
}

/** Returns all that comes until the server closes. */
async function whatComes(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

const UNENDED = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 20', '', '{"user'];
const theApp = shareApp({ timeouts: { bodyMs: BODY_MS } });

test.each(['/api/login', '/api/trpc/auth.login', '/api/health', '/api/nowhere'])(
  'a body that does not come ends a call of %s, and others are answered',
  async (path) => {
    const { listener } = await theApp();

    const answer = await whatComes(await begin(listener, [`POST ${path} HTTP/1.1`, ...UNENDED]));

    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*Connection: close/);
    if (path !== '/api/nowhere' && path !== '/api/health') expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect((await fetch(`${listener.url}/api/health`)).status).toBe(200);
  },
);

test('headers that do not come end the connection', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app, { timeouts: { headersTimeout: 100, connectionsCheckingInterval: 50 } });

  const answer = await whatComes(await begin(listener, ['GET /api/health HTTP/1.1', 'Host: local']));

  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('a file that comes slowly is taken', async () => {
  const { app, listener } = await theApp();
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  const authorization = `Authorization: Bearer ${person.accessToken}`;
  const announced = await fetch(`${listener.url}/api/uploads/${uploadId}/manifest`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ files: manifestOf({ 'index.html': 'hello' }) }),
  });
  expect(announced.status).toBe(200);

  const socket = await begin(listener, [
    `PUT /api/uploads/${uploadId}/files/${HELLO} HTTP/1.1`,
    'Host: localhost',
    authorization,
    'Content-Type: application/octet-stream',
    'Content-Length: 5',
    'Connection: close',
    '',
    'hel',
  ]);
  // A call that began later has waited for its body in vain.
  expect(await whatComes(await begin(listener, ['POST /api/login HTTP/1.1', ...UNENDED]))).toMatch(/^HTTP\/1\.1 408 /);
  socket.write('lo');

  expect(await whatComes(socket)).toMatch(/^HTTP\/1\.1 204 /);
});
