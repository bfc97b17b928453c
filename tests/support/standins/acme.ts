import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { selfSigned } from '../certificate.ts';

export type Refusal = {
  status: number;
  type?: string;
  detail?: string;
  headers?: Record<string, string>;
  body?: unknown;
};

/**
 * An authority that makes accounts and refuses each order with what it is told: for what Pebble never says, such as its
 * limits (RFC 8555, section 6.6) and CAA.
 */
export async function startRefusingAuthority() {
  const { cert, key } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
  const state: { refusal: Refusal; directory: unknown } = { refusal: { status: 500 }, directory: undefined };
  const server = createServer({ cert, key }, (request, response) => {
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    const url = request.url ?? '';
    response.setHeader('replay-nonce', `nonce-${Math.random()}`);
    request.resume();
    if (url === '/dir') {
      const listed = { newNonce: '/nonce', newAccount: '/account', newOrder: '/order', revokeCert: '/revoke' };
      const directory = Object.fromEntries(Object.entries(listed).map(([name, path]) => [name, `${origin}${path}`]));
      response.end(JSON.stringify(state.directory ?? directory));
    } else if (url === '/account') {
      response.writeHead(201, { location: `${origin}/accounts/1` }).end('{}');
    } else if (url === '/order') {
      const { status, type, detail, headers = {}, body } = state.refusal;
      const problem = { type: type && `urn:ietf:params:acme:error:${type}`, detail, status };
      response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
      response.end(JSON.stringify(body ?? problem));
    } else response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    directoryUrl: `https://localhost:${(server.address() as AddressInfo).port}/dir`,
    apiCa: cert,
    refuseWith: (refusal: Refusal) => {
      state.refusal = refusal;
    },
    showDirectory: (directory: unknown) => {
      state.directory = directory;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
