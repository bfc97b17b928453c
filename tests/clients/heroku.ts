import { deepEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import * as z from 'zod/mini';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';
import { testEgress } from '../support/platforms.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { ZONE } from '../support/standins/heroku/state.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import type { Client } from './run.ts';

type Ask = (path: string, options?: { body?: unknown }) => Promise<unknown>;
type Api = Record<'get' | 'post' | 'patch' | 'delete', Ask>;
const clientSchema = z.custom<new (options: { token: string; host: string }) => Api>(
  (value) => typeof value === 'function',
);
const appSchema = z.object({ id: z.string(), web_url: z.string() });
const sourceSchema = z.object({ source_blob: z.object({ put_url: z.string(), get_url: z.string() }) });
const buildSchema = z.object({ id: z.string(), status: z.string(), release: z.nullable(z.object({ id: z.string() })) });
const releaseSchema = z.object({ id: z.string(), status: z.string() });
const domainSchema = z.object({ cname: z.nullable(z.string()) });
const LOOKS_MAX = 10;

/** A server of a few lines, as anybody would send one: nothing of it is ours. */
const serverOf = (text: string): string =>
  `require('node:http').createServer((_, response) => response.end('${text}')).listen(process.env.PORT);`;

/** Heroku's client for Node, asked for what its builds plugin asks for. */
export const herokuClient: Client = {
  name: 'heroku',
  packages: ['heroku-client@3.1.4'],
  async publish(installed) {
    await using standIn = await startHeroku();
    const Heroku = clientSchema.parse(createRequire(join(installed, 'client.js'))('heroku-client'));
    const api = new Heroku({ token: TOKEN, host: standIn.apiUrl });
    const app = appSchema.parse(await api.post('/apps', { body: { name: 'by-client' } }));
    deepEqual(new URL(app.web_url).hostname.endsWith(`.${ZONE}`), true);

    const first = await release(api, app.id, 'one');
    deepEqual(await textAt(app.web_url), 'one');
    await release(api, app.id, 'two');
    deepEqual(await textAt(app.web_url), 'two');
    const rolledBack = releaseSchema.parse(await api.post(`/apps/${app.id}/releases`, { body: { release: first } }));
    await api.get(`/apps/${app.id}/releases/${rolledBack.id}`);
    deepEqual(await textAt(app.web_url), 'one');

    const body = { hostname: 'www.example.com', sni_endpoint: null };
    const domain = domainSchema.parse(await api.post(`/apps/${app.id}/domains`, { body }));
    deepEqual(domain.cname?.endsWith('.herokudns.com'), true);
    await api.delete(`/apps/${app.id}/domains/www.example.com`);
    await api.delete(`/apps/${app.id}`);
    deepEqual(standIn.state.apps.size, 0);
    deepEqual(standIn.drift, []);
  },
};

async function release(api: Api, app: string, text: string): Promise<string> {
  const archive = await archiveOf({
    Procfile: 'web: node index.js',
    'package.json': '{"name":"by-client"}',
    'index.js': serverOf(text),
  });
  const { source_blob: source } = sourceSchema.parse(await api.post('/sources'));
  // As the builds plugin does: with no media type and no token.
  const put = await fetch(source.put_url, { method: 'PUT', body: new Uint8Array(archive) });
  deepEqual(put.status, 200);
  const checksum = `SHA256:${createHash('sha256').update(archive).digest('hex')}`;
  const body = { source_blob: { url: source.get_url, checksum, version: text } };
  let build = buildSchema.parse(await api.post(`/apps/${app}/builds`, { body }));
  for (let look = 0; build.status === 'pending' && look < LOOKS_MAX; look += 1) {
    build = buildSchema.parse(await api.get(`/apps/${app}/builds/${build.id}`));
  }
  deepEqual(build.status, 'succeeded');
  const made = releaseSchema.parse(await api.get(`/apps/${app}/releases/${build.release?.id}`));
  deepEqual(made.status, 'succeeded');
  return made.id;
}

async function archiveOf(files: Record<string, string>): Promise<Buffer> {
  const packer = pack();
  for (const [name, text] of Object.entries(files)) packer.entry({ name }, text);
  packer.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of packer) if (piece instanceof Uint8Array) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

async function textAt(url: string): Promise<string> {
  const { signal } = new AbortController();
  return testEgress().request(url, { signal, maxBytes: 1_000, wholeMs: 60_000 }, ({ body }) => textWithinBudget(body));
}
