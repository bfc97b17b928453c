import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as listenRaw } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLocalAuthority } from '../../../server/domains/certificates/authority/local-ca.ts';
import { createSecrets, newKeys } from '../../../server/lib/crypto/secrets.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { selfSigned } from '../../support/certificate.ts';
import { ownRoots } from '../../support/local-roots.ts';
import { INSIDE } from './lying-name-server.ts';
import type { Answer, Plan } from './lying-proxy.ts';

const NEVER = new AbortController().signal;

export type LyingAuthority = AsyncDisposable & {
  /** The settings by which the app uses it. */
  env: NodeJS.ProcessEnv;
  /** Lies about the orders of this domain; null forgets it. */
  lieAbout(domain: string, plan: Plan | null): void;
  /** Connections that went where none may go, since the last look. */
  takeLeaks(): string[];
};

type Order = { isProved: boolean; csr: Buffer | null };
type Said = { status?: number; location?: string; body?: unknown };

/**
 * An authority (RFC 8555) that believes any answer to its challenges, and signs with a root of its own: honest, but
 * about the domains that it lies about. Orders are identified by their names, which are in their addresses.
 */
export async function startLyingAuthority(): Promise<LyingAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-authority-'));
  const { cert, key } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
  await writeFile(join(folder, 'api.pem'), cert);
  const signing = createLocalAuthority({ roots: ownRoots(), secrets: createSecrets(newKeys()), now: () => new Date() });
  const orders = new Map<string, Order>();
  const lied = new Map<string, Plan & { asked: number }>();
  const leaks: string[] = [];
  let nonce = 0;
  const origin = (): string => `https://localhost:${(server.address() as AddressInfo).port}`;

  function orderAt(names: string) {
    const { isProved, csr } = orders.get(names) ?? { isProved: false, csr: null };
    return {
      status: csr !== null ? 'valid' : isProved ? 'ready' : 'pending',
      authorizations: names.split(',').map((name) => `${origin()}/authz/${names}/${name}`),
      finalize: `${origin()}/finalize/${names}`,
      ...(csr !== null && { certificate: `${origin()}/cert/${names}` }),
    };
  }

  async function answerAt(step: string, names: string, name: string, payload: Payload): Promise<Said> {
    const known = orders.get(names);
    const status = known?.isProved === true ? 'valid' : 'pending';
    const url = `${origin()}/challenge/${names}/${name}`;
    const challenge = { type: 'http-01', url, token: 'token-for-an-honest-answer', status };
    switch (step) {
      case 'dir': {
        const steps = ['nonce', 'account', 'order', 'revoke'].map((one) => `${origin()}/${one}`);
        const [newNonce, newAccount, newOrder, revokeCert] = steps;
        return { body: { newNonce, newAccount, newOrder, revokeCert, meta: { caaIdentities: ['ca.test'] } } };
      }
      case 'account':
        return { status: 201, location: `${origin()}/accounts/1`, body: {} };
      case 'order': {
        const wanted = (payload.identifiers ?? []).map(({ value }) => value).join(',');
        orders.set(wanted, { isProved: false, csr: null });
        return { status: 201, location: `${origin()}/orders/${wanted}`, body: orderAt(wanted) };
      }
      case 'orders':
        return { body: orderAt(names) };
      case 'authz':
        return { body: { identifier: { type: 'dns', value: name }, status, challenges: [challenge] } };
      case 'challenge':
        if (known !== undefined) known.isProved = true;
        return { body: challenge };
      case 'finalize':
        if (known !== undefined) known.csr = Buffer.from(payload.csr ?? '', 'base64url');
        return { body: orderAt(names) };
      case 'cert':
        return {
          body: await signing.finish(
            { accountKey: '', accountUrl: '', signal: NEVER },
            `local:${names}`,
            known?.csr ?? Buffer.alloc(0),
          ),
        };
      default:
        return { body: {} };
    }
  }

  function planFor(names: string): Plan | null {
    const plan = [...lied].find(([domain]) => names.split(',').some((name) => name.endsWith(domain)))?.[1];
    if (plan === undefined) return null;
    const number = plan.asked++;
    return number >= plan.from && number < plan.from + plan.times ? plan : null;
  }

  const server = createServer({ cert, key }, async (request, response) => {
    const { url = '/', method = 'GET', socket } = request;
    try {
      const [, step = '', names = '', name = ''] = decodeURIComponent(url).split('/');
      const payload = payloadIn(await text(request));
      const honest = async (): Promise<Answer> => {
        const { status = 200, location, body } = await answerAt(step, names, name, payload);
        const headers = { 'replay-nonce': `nonce-${nonce++}`, ...(location !== undefined && { location }) };
        return { status, headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) };
      };
      const plan = planFor(payload.identifiers?.map(({ value }) => value).join() ?? names);
      if (plan === null) {
        const { status, headers, body } = await honest();
        response.writeHead(status, headers as OutgoingHttpHeaders).end(body);
        return;
      }
      socket.on('error', () => undefined);
      const inside = `https://${INSIDE}:${(insideServer.address() as AddressInfo).port}`;
      await plan.lie({ random: plan.random, socket, method, honest, inside, foreign: inside });
      socket.end();
    } catch {
      response.destroy();
    }
  });
  const insideServer = listenRaw((socket) => {
    leaks.push('something inside was asked');
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await once(insideServer.listen(0, INSIDE), 'listening');
  return {
    env: { ACME_DIRECTORY_URL: `${origin()}/dir`, ACME_CA_FILE: join(folder, 'api.pem') },
    lieAbout(domain, plan) {
      if (plan === null) lied.delete(domain);
      else lied.set(domain, { ...plan, asked: 0 });
    },
    takeLeaks: () => leaks.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await Promise.all([server, insideServer].map((one) => once(one.close(), 'close')));
      await rm(folder, { recursive: true });
    },
  };
}

type Payload = { identifiers?: { value: string }[]; csr?: string };

/** Returns the payload of a signed request; an empty one for a request that is not signed. */
function payloadIn(body: string): Payload {
  if (body === '') return {};
  const { payload }: { payload: string } = JSON.parse(body);
  return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString());
}
