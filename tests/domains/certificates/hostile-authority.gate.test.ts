import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as listenRaw } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../../../server/boot/providers.ts';
import { createAcmeAuthority } from '../../../server/domains/certificates/authority/acme/client.ts';
import type { Problem } from '../../../server/domains/certificates/authority/problems.ts';
import { makeKey } from '../../../server/domains/certificates/authority/x509.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { createEgress } from '../../../server/lib/egress/egress.ts';
import { parseRange } from '../../../server/lib/egress/rules.ts';
import { problemOf } from '../../support/acme.ts';
import { portOf } from '../../support/at-free-port.ts';
import { selfSigned } from '../../support/certificate.ts';

/** An address of this machine that nothing is allowed to go to. */
const INSIDE = '127.0.0.66';
const YEARS_S = 100_000_000;
const { signal } = new AbortController();

type Answer = (request: IncomingMessage, response: ServerResponse, directory: Record<string, string>) => void;

/** An authority that answers as it is told, at the one address that may be gone to. */
async function startHostile(answer: Answer) {
  const { cert, key } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
  const leaks: string[] = [];
  const waits: number[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const origin = `https://localhost:${portOf(server)}`;
    const paths = { newNonce: '/nonce', newAccount: '/account', newOrder: '/order', revokeCert: '/revoke' };
    request.resume();
    response.on('error', () => undefined);
    response.setHeader('replay-nonce', 'nonce');
    answer(request, response, Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, origin + path])));
  });
  const inside = listenRaw((socket) => {
    leaks.push('asked');
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await once(inside.listen(0, INSIDE), 'listening');
  const range = parseRange('127.0.0.1/32');
  const authority = createAcmeAuthority({
    directoryUrl: `https://localhost:${portOf(server)}/dir`,
    egress: createEgress({ allow: range === null ? [] : [range], ca: [cert] }),
    now: () => new Date(),
    wait: (ms, ends) => {
      waits.push(ms);
      return waitFor(1, ends);
    },
  });
  const { pem } = await makeKey();
  const call = { accountKey: pem, accountUrl: 'https://localhost/1', signal };
  return {
    authority,
    leaks,
    waits,
    insideUrl: `https://${INSIDE}:${portOf(inside)}`,
    register: (): Promise<Problem> => problemOf(authority.register(pem, signal)),
    order: (): Promise<Problem> => problemOf(authority.order(call, { names: ['a.test'] })),
    validated: () => authority.awaitValidation(call, `https://localhost:${portOf(server)}/order/1`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await Promise.all([server, inside].map((one) => once(one.close(), 'close')));
    },
  };
}

async function writeOn(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    if (!response.write('x'.repeat(64 * 1024))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    await turn();
  }
}

const DIRECTORIES: Readonly<Record<string, Answer>> = {
  'a body without an end': (_request, response) => void writeOn(response).catch(() => undefined),
  'lists in lists': (_request, response) => void response.end('['.repeat(100_000)),
  'thousands of values': (_request, response, directory) =>
    void response.end(JSON.stringify({ ...directory, x: Array.from({ length: 100_000 }, () => 0) })),
  'a page': (_request, response) => void response.end('<!doctype html><h1>Be right back</h1>'),
  'wrong types': (_request, response) => void response.end('{"newNonce":[],"newAccount":1,"newOrder":null}'),
  'http addresses': (_request, response, directory) =>
    void response.end(JSON.stringify({ ...directory, newNonce: 'http://localhost/' })),
  'nothing, and is gone': (_request, response) => void response.destroy(),
  'a redirect': (_request, response) => void response.writeHead(302, { location: `https://${INSIDE}/` }).end(),
};

test.each(Object.entries(DIRECTORIES))('a directory that is %s is none', async (_title, answer) => {
  await using hostile = await startHostile(answer);
  expect((await hostile.register()).type).toMatch(/^(unreachable|malformed)$/);
  expect(hostile.leaks).toEqual([]);
});

test('addresses inside are not gone to, whichever step they belong to', async () => {
  for (const name of ['newNonce', 'newAccount', 'newOrder'] as const) {
    await using hostile: Awaited<ReturnType<typeof startHostile>> = await startHostile(
      (_request, response, directory) => {
        if (name === 'newNonce') response.removeHeader('replay-nonce');
        response.end(JSON.stringify({ ...directory, [name]: hostile.insideUrl }));
      },
    );
    const problem = await (name === 'newOrder' ? hostile.order() : hostile.register());
    expect([name, problem.type, hostile.leaks]).toEqual([name, 'unreachable', []]);
  }
});

test('what it says of a refusal is kept in few words, and no time that it asks for outlasts a week', async () => {
  const long = 'x'.repeat(30_000);
  await using hostile = await startHostile(({ url }, response, directory) => {
    if (url === '/dir') return response.end(JSON.stringify(directory));
    if (url === '/nonce') return response.end();
    const type = `urn:ietf:params:acme:error:${long}`;
    const subproblems = [{ type, detail: long, identifier: { type: 'dns', value: long } }];
    response.writeHead(429, { 'retry-after': String(YEARS_S) });
    response.end(JSON.stringify({ type, detail: long, instance: `https://a.test/${long}`, subproblems }));
  });
  const problem = await hostile.register();
  expect(JSON.stringify(problem).length).toBeLessThan(4_000);
  expect(problem.retryAfterMs).toBe(7 * DAY_MS);
});

test('an order is read again after a second at least and half a minute at most, whatever it asks for', async () => {
  const asked = ['0', '5', String(YEARS_S), 'soon', ''];
  await using hostile = await startHostile(({ url }, response, directory) => {
    if (url === '/dir') return response.end(JSON.stringify(directory));
    if (url === '/nonce') return response.end();
    const retryAfter = asked.shift();
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    const status = retryAfter === undefined ? 'ready' : 'pending';
    response.end(JSON.stringify({ status, authorizations: [], finalize: 'https://localhost/finalize' }));
  });
  expect(await hostile.validated()).toMatchObject({ status: 'ready' });
  expect(hostile.waits).toEqual([1_000, 5_000, 30_000, 1_000, 1_000]);
});

test('an authority that refuses each nonce is asked a number of times', async () => {
  let asked = 0;
  await using hostile = await startHostile(({ url }, response, directory) => {
    if (url === '/dir') return response.end(JSON.stringify(directory));
    if (url === '/nonce') return response.end();
    asked += 1;
    response.writeHead(400).end(JSON.stringify({ type: 'urn:ietf:params:acme:error:badNonce' }));
  });
  expect((await hostile.register()).type).toBe('badNonce');
  expect(asked).toBe(20);
});

test('names for CAA records are taken from a list that a person could have written', async () => {
  await using hostile = await startHostile((_request, response, directory) => {
    const caaIdentities = Array.from({ length: 3_000 }, (_, number) => `ca${number}.test`);
    response.end(JSON.stringify({ ...directory, meta: { caaIdentities } }));
  });
  expect(await hostile.authority.caaIdentities(signal)).toEqual([]);
});
