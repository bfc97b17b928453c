import { once } from 'node:events';
import { request as askFor, createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer as listenRaw, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { portOf } from '../../support/at-free-port.ts';
import type { Random } from '../../support/random.ts';

/** An address of this machine that EGRESS_ALLOW does not name: nothing of ours is to go there. */
const INSIDE = '127.0.0.66';

/** The answer of an honest platform. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** The context of a lie. It ends when the connection does. */
export type Telling = {
  random: Random;
  socket: Socket;
  method: string;
  honest(): Promise<Answer>;
  /** Addresses at which the product must not be seen, and must not be seen with a token. */
  inside: string;
  foreign: string;
};
export type Lie = (telling: Telling) => Promise<void>;

/** Tells which of the requests of one publication get a lie. */
export type Plan = { lie: Lie; from: number; times: number; random: Random };

export type LyingProxy = AsyncDisposable & {
  port: number;
  /**
   * Lies to clients with this token, and to visitors of the site of this name; null is honest again. A sign-in with a
   * code that equals such a token gets that token.
   */
  lieTo(who: { token: string; slug: string }, plan: Plan | null): void;
  /** Requests that went where none may go, since the last question. */
  takeLeaks(): string[];
};

type Lied = { slug: string; plan: Plan; asked: number };

/**
 * Stands before a stand-in and passes on what comes, except to those that it lies to. Beside it are a server that only
 * this network sees, and a foreign one which anybody may ask, and nobody with a token.
 */
export async function startLyingProxy({ port: target }: { port: number }): Promise<LyingProxy> {
  const lied = new Map<string, Lied>();
  const leaks: string[] = [];
  const inside = listenRaw((socket) => {
    leaks.push('something inside was asked');
    socket.destroy();
  });
  const foreign = createServer(({ headers }, response) => {
    if (tokenIn(headers) !== undefined) leaks.push('a token went to a foreign address');
    response.end('<h1>Not yours</h1>');
  });
  const proxy = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const code = codeIn(request, body);
    const honest = async () =>
      code !== undefined && lied.has(code)
        ? signedIn(code)
        : passOn(request, body, { from: portOf(proxy), to: target });
    const plan = planFor(request, lied, code);
    const socket = response.socket;
    try {
      if (plan === null || socket === null) {
        const answer = await honest();
        response.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      }
      socket.on('error', () => undefined);
      const addresses = {
        inside: `http://${INSIDE}:${portOf(inside)}`,
        foreign: `http://127.0.0.1:${portOf(foreign)}`,
      };
      await plan.lie({ ...addresses, random: plan.random, socket, method: request.method ?? 'GET', honest });
      if (!socket.destroyed) socket.end();
    } catch {
      response.destroy();
    }
  });
  for (const [server, host] of [
    [inside, INSIDE],
    [foreign, '127.0.0.1'],
    [proxy, '127.0.0.1'],
  ] as const) {
    await once(server.listen(0, host), 'listening');
  }
  return {
    port: portOf(proxy),
    lieTo({ token, slug }, plan) {
      if (plan === null) lied.delete(token);
      else lied.set(token, { slug, plan, asked: 0 });
    },
    takeLeaks: () => leaks.splice(0),
    async [Symbol.asyncDispose]() {
      for (const server of [proxy, foreign]) server.closeAllConnections();
      await Promise.all([proxy, foreign, inside].map((server) => once(server.close(), 'close')));
    },
  };
}

function tokenIn(headers: IncomingHttpHeaders): string | undefined {
  return headers.authorization?.replace(/^Bearer /, '') ?? headers['x-api-key']?.toString();
}

/** The code of a sign-in that becomes a token here (RFC 6749, section 4.1.3). */
function codeIn({ headers }: IncomingMessage, body: Buffer): string | undefined {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  return (isForm && new URLSearchParams(body.toString()).get('code')) || undefined;
}

function signedIn(token: string): Answer {
  const tokens = { access_token: token, refresh_token: `${token}-again`, expires_in: 3_600, token_type: 'bearer' };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(tokens)) };
}

/** The plan, when this request is one of those that it lies to. */
function planFor({ headers }: IncomingMessage, lied: ReadonlyMap<string, Lied>, code?: string): Plan | null {
  const token = tokenIn(headers) ?? code;
  const host = headers.host ?? '';
  const found = token === undefined ? [...lied.values()].find(({ slug }) => host.includes(slug)) : lied.get(token);
  if (found === undefined) return null;
  const number = found.asked++;
  const { from, times } = found.plan;
  return number >= from && number < from + times ? found.plan : null;
}

/** Asks the stand-in. Addresses in its answer lead to the proxy, so that visitors come by here as well. */
async function passOn(request: IncomingMessage, body: Buffer, ports: { from: number; to: number }): Promise<Answer> {
  const { method = 'GET', url: path, headers } = request;
  const outgoing = askFor({ host: '127.0.0.1', port: ports.to, method, path, headers, agent: false });
  // Also one that comes after the answer has begun.
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  const [answer]: [IncomingMessage] = await once(outgoing, 'response').then(([incoming]) => [incoming]);
  const { 'content-length': _length, 'transfer-encoding': _coding, connection: _kept, ...kept } = answer.headers;
  const bytes = await buffer(answer);
  const isJson = answer.headers['content-type']?.includes('json') === true;
  const text = isJson ? bytes.toString().replaceAll(`:${ports.to}`, `:${ports.from}`) : null;
  return { status: answer.statusCode ?? 0, headers: kept, body: text === null ? bytes : Buffer.from(text) };
}
