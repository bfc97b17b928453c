import { deepEqual } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { cloudflareUnderTest } from '../support/standins/cloudflare/index.ts';
import { openDns } from '../support/standins/dns-world.ts';
import { OURS } from '../support/standins/held-zones.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import type { Client } from './run.ts';

type List = (query?: Record<string, unknown>) => AsyncIterable<unknown>;
type Api = {
  zones: { list: List };
  dns: { records: { list: List; batch(body: Record<string, unknown>): Promise<unknown> } };
  user: { tokens: { verify(): Promise<unknown> } };
};
type ApiClass = new (options: { apiToken: string; baseURL: string }) => Api;
const classSchema = z.custom<ApiClass>((value) => typeof value === 'function');
const zoneSchema = z.object({ id: z.string(), name: z.string() });
const recordSchema = z.object({
  id: z.string(),
  type: z.string(),
  content: z.string(),
  ttl: z.number(),
  proxied: z.boolean(),
});
const WEB = `www.${OURS}`;

/** Cloudflare's own client for Node: it reads what our adapter writes, and the other way round. */
export const cloudflareClient: Client = {
  name: 'cloudflare',
  packages: ['cloudflare@7.3.0'],
  async publish(installed) {
    await using subject = await openDns(cloudflareUnderTest);
    const Cloudflare = classSchema.parse(createRequire(join(installed, 'client.js'))('cloudflare'));
    const api = new Cloudflare({ apiToken: TOKEN, baseURL: subject.standIn.apiUrl });
    await api.user.tokens.verify();
    const [zone] = (await all(api.zones.list(), zoneSchema)).filter(({ name }) => name === OURS);
    const list = () => all(api.dns.records.list({ zone_id: zone?.id, name: { exact: WEB } }), recordSchema);

    const long = 'x'.repeat(300);
    await subject.write([
      { type: 'A', name: WEB, before: null, after: { ttl: 300, values: ['192.0.2.1'] } },
      { type: 'TXT', name: WEB, before: null, after: { ttl: 300, values: [long] } },
      { type: 'CAA', name: WEB, before: null, after: { ttl: 300, values: ['0 issue "ca.example"'] } },
    ]);
    const written = await list();
    const told = written.map(({ type, content, ttl, proxied }) => [type, content, ttl, proxied]);
    deepEqual(told, [
      ['A', '192.0.2.1', 300, false],
      ['TXT', `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`, 300, false],
      ['CAA', '0 issue "ca.example"', 300, false],
    ]);

    await api.dns.records.batch({
      zone_id: zone?.id,
      patches: [{ id: written[0]?.id, proxied: true }],
      posts: [{ type: 'AAAA', name: WEB, content: '2001:db8::1', ttl: 1 }],
    });
    const found = await subject.read(WEB);
    deepEqual(
      found.map(({ type, ttl, values, isProxied }) => [type, ttl, values, isProxied]),
      [
        ['A', 1, ['192.0.2.1'], true],
        ['TXT', 300, [long], undefined],
        ['CAA', 300, ['0 issue "ca.example"'], undefined],
        ['AAAA', 1, ['2001:db8::1'], false],
      ],
    );
    deepEqual(subject.standIn.drift, []);
  },
};

async function all<T>(items: AsyncIterable<unknown>, shape: z.ZodMiniType<T>): Promise<T[]> {
  const parsed: T[] = [];
  for await (const item of items) parsed.push(shape.parse(item));
  return parsed;
}
