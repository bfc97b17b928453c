import { createServer } from 'node:https';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { atFreePort, portOf } from '../at-free-port.ts';
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
    const origin = `https://localhost:${portOf(server)}`;
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
  });
  const listening = await atFreePort(server);
  return {
    ...listening,
    directoryUrl: `https://localhost:${listening.port}/dir`,
    apiCa: cert,
    refuseWith: (refusal: Refusal) => {
      state.refusal = refusal;
    },
    showDirectory: (directory: unknown) => {
      state.directory = directory;
    },
  };
}
