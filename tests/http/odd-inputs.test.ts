import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Listening, shareApp } from '../support/listen.ts';

/** 90 bytes that would become an array of two billion numbers. */
const ENORMOUS = { json: { message: 2e9 }, meta: { values: { message: [['typed-array', 'Int8Array']] } } };
const DEEP = `{"json":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
const MANY = {
  json: [],
  meta: { values: Object.fromEntries(Array.from({ length: 250 }, (_, at) => [at, ['set']])) },
};
const PROTOTYPE = '{"json":{"__proto__":{"polluted":true}}}';
const ODD = [JSON.stringify(ENORMOUS), DEEP, JSON.stringify(MANY), PROTOTYPE];

async function answerOf({ url }: Listening, path: string, body?: string): Promise<[status: number, text: string]> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, body === undefined ? {} : { method: 'POST', headers, body });
  return [response.status, await response.text()];
}

const theApp = shareApp();

test('an input that would build something enormous is refused on every way over HTTP', async () => {
  const { listener } = await theApp();

  for (const input of ODD) {
    const answers = [
      await answerOf(listener, '/api/trpc/contact.send', input),
      await answerOf(listener, `/api/trpc/disclaimer.status?input=${encodeURIComponent(input)}`),
      await answerOf(listener, '/api/trpc/contact.send,contact.send?batch=1', `{"0":{"json":{}},"1":${input}}`),
      await answerOf(listener, `/api/trpc/disclaimer.status?batch=1&input=${encodeURIComponent(`{"0":${input}}`)}`),
    ];
    for (const [status, text] of answers) {
      expect([status, input.slice(0, 80)]).toEqual([400, input.slice(0, 80)]);
      expect(text).toContain('"code":"bad_request"');
    }
  }
  const [, text] = await answerOf(listener, '/api/trpc/contact.send', JSON.stringify(ENORMOUS));
  expect(text).toContain('without “meta”');
});

test('a plain call of the same size is refused as well', async () => {
  const { listener } = await theApp();
  const deep = `{"username":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;

  const [status, text] = await answerOf(listener, '/api/login', deep);

  expect([status, JSON.parse(text).code]).toEqual([400, 'bad_request']);
});

test.each(['prototype', 'constructor'])('a field named %s is a mistake of the caller', async (name) => {
  const { listener } = await theApp();
  const [status, text] = await answerOf(listener, '/api/trpc/contact.send', JSON.stringify({ json: { [name]: 'x' } }));
  expect([status, JSON.parse(text).error.json.data.code]).toEqual([400, 'validation_failed']);
});

test('and over the WebSocket, which goes on', async () => {
  const { app, listener } = await theApp();
  const person = await app.person();
  const socket = new WebSocket(`${listener.url.replace('http', 'ws')}/api/trpc?connectionParams=1`, {
    origin: listener.origin,
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token: person.accessToken } }));

  for (const input of ODD) {
    const answer = once(socket, 'message');
    socket.send(`{"id":1,"method":"subscription","params":{"path":"events.stream","input":${input}}}`);
    expect(String(await answer)).toContain('"code":"bad_request"');
  }

  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.terminate();
});

test('a batch has one status for all of its calls or 207, and a wrong method names the right one', async () => {
  const { listener } = await theApp();
  const ask = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${listener.url}/api/trpc/${path}`, { method });
    return [status, headers.get('Allow')];
  };

  expect(await ask('GET', 'disclaimer.status,user.get?batch=1')).toEqual([207, null]);
  expect(await ask('GET', 'user.get,user.get?batch=1')).toEqual([401, null]);
  expect(await ask('GET', 'disclaimer.status,contact.send?batch=1')).toEqual([400, null]);
  expect(await ask('GET', 'contact.send')).toEqual([405, 'POST']);
  expect(await ask('PUT', 'user.get')).toEqual([405, 'GET, HEAD']);
  expect(await ask('POST', 'contact.send')).toEqual([415, null]);
  expect(await ask('GET', '%E0')).toEqual([400, null]);
  expect(await ask('HEAD', 'user.get')).toEqual([204, null]);
});
