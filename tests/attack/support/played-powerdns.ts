import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { atFreePort } from '../../support/at-free-port.ts';
import { requestHandler } from '../../support/request-handler.ts';

const SERVER = '/api/v1/servers/localhost';
const patchSchema = z.object({
  rrsets: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      changetype: z.string(),
      ttl: z.optional(z.number()),
      records: z.optional(z.array(z.object({ content: z.string(), disabled: z.boolean() }))),
    }),
  ),
});

type Rrset = z.infer<typeof patchSchema>['rrsets'][number];

export type PlayedPowerDns = AsyncDisposable & {
  port: number;
  addZone(name: string): void;
  dropZone(name: string): void;
};

/** An honest server with the part of PowerDNS's API that is asked of it (doc.powerdns.com/authoritative/http-api). */
export async function startPlayedPowerDns(): Promise<PlayedPowerDns> {
  const zones = new Map<string, Map<string, Rrset>>();
  const answerTo = (method: string, path: string, body: unknown): unknown => {
    if (path === SERVER) return { daemon_type: 'authoritative', version: '4.7.3' };
    if (path === `${SERVER}/config`) return [{ name: 'expand-alias', value: 'no' }];
    if (path === `${SERVER}/zones`) return [...zones.keys()].map((name) => ({ id: name, name, kind: 'Native' }));
    const sets = zones.get(decodeURIComponent(path.slice(`${SERVER}/zones/`.length)));
    if (sets === undefined) return undefined;
    if (method === 'GET') return { name: decodeURIComponent(path.split('/').at(-1) ?? ''), rrsets: [...sets.values()] };
    for (const set of patchSchema.parse(body).rrsets) {
      if (set.changetype === 'DELETE') sets.delete(`${set.name} ${set.type}`);
      else sets.set(`${set.name} ${set.type}`, set);
    }
    return {};
  };
  const server = createServer(
    requestHandler(async (request, response) => {
      const { method = 'GET', url = '/' } = request;
      const body = method === 'PATCH' ? await json(request) : null;
      const answer = answerTo(method, url.split('?', 1)[0] ?? '/', body);
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'Not Found' }));
    }),
  );
  return {
    ...(await atFreePort(server)),
    addZone: (name) => void zones.set(`${name}.`, new Map()),
    dropZone: (name) => void zones.delete(`${name}.`),
  };
}
