import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { HostTls } from '../../../server/host/listener.ts';
import { addRelease, createTestHost, makeLive } from '../../support/host.ts';
import { connectDatabase } from '../database.ts';
import { tellReady } from '../ready.ts';

/** The built-in host as it runs, over TLS where a certificate is named, with one site made of the files of a folder: what the peers serve from that folder. */
const isCounting = !process.argv.includes('--uncounted');
const [folder = '', certFile, keyFile] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const content: Record<string, Buffer> = {};
for (const name of await readdir(folder)) content[name] = await readFile(join(folder, name));

await connectDatabase();
const tls = certFile === undefined || keyFile === undefined ? undefined : await tlsOf(certFile, keyFile);
const site = await createTestHost({ changes: 'feed', tls, countsVisits: isCounting });
const slug = `bench-${randomBytes(4).toString('hex')}`;
await makeLive(await addRelease(site, slug, content, 'live'));
await site.host.refresh();
tellReady((site.host.tlsAddress ?? site.host.address).port, { host: `${slug}.localhost` });

async function tlsOf(cert: string, key: string): Promise<HostTls> {
  const context = createSecureContext({ cert: await readFile(cert), key: await readFile(key) });
  return { port: 0, url: 'https://{slug}.localhost', contextFor: () => context };
}
