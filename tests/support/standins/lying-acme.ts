import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, request as forward } from 'node:https';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { atFreePort } from '../at-free-port.ts';
import { selfSigned } from '../certificate.ts';
import type { Pebble } from '../pebble.ts';
import { requestHandler } from '../request-handler.ts';

export type AcmeAsked = { path: string; body: Buffer };
export type AcmeSaid = { status: number; headers: OutgoingHttpHeaders; body: Buffer | string };
/** Changes an answer; null says nothing, ever. */
export type Lie = (asked: AcmeAsked, said: AcmeSaid) => AcmeSaid | null | Promise<AcmeSaid | null>;

async function whole(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Stands between us and a Pebble, and tells its answers as they are, until it is told to lie. */
export async function startLyingAuthority({ port: behind, apiCa }: Pick<Pebble, 'port' | 'apiCa'>) {
  const { cert, key } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));
  const done: string[] = [];
  const problems = new Set<string>();
  let lie: Lie | null = null;
  let isSilent = false;

  async function truth({ method, url, headers }: IncomingMessage, body: Buffer): Promise<AcmeSaid> {
    // Pebble writes its addresses by the name that it was asked under, which so is ours.
    const outgoing = forward({ host: 'localhost', port: behind, method, path: url, headers, ca: apiCa, agent: false });
    // Also one that comes after the answer has begun.
    outgoing.on('error', () => undefined);
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await whole(answer) };
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { method = '', url: path = '' } = incoming;
    const body = await whole(incoming);
    const honest = await truth(incoming, body).catch(() => null);
    if (honest !== null && honest.status < 400) done.push(`${method} /${path.split('/')[1]}`);
    for (const found of honest?.body.toString().match(/"error": \{[^}]*\}/g) ?? []) problems.add(found);
    const said = honest === null || lie === null ? honest : await lie({ path, body }, honest);
    if (honest === null) return response.destroy();
    if (said === null) return undefined;
    const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = said.headers;
    return response.writeHead(said.status, headers).end(said.body);
  }

  const server = createServer({ cert, key }, requestHandler(answer));
  const listening = await atFreePort(server);
  return {
    ...listening,
    directoryUrl: `https://localhost:${listening.port}/dir`,
    apiCa: cert,
    /**
     * Returns how often Pebble carried out a request: `POST /order-plz` makes an order, `POST /finalize-order` signs.
     */
    count: (what: string) => done.filter((one) => one === what).length,
    /** Returns the problems of names and orders that Pebble has found. */
    problems: () => [...problems],
    /** `silent`: some of its answers never come. */
    lie(next: Lie | null, { silent = false } = {}) {
      lie = next;
      isSilent = silent;
    },
    isSilent: () => isSilent,
  };
}

export type LyingAuthority = Awaited<ReturnType<typeof startLyingAuthority>>;
