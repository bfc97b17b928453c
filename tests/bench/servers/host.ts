import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addRelease, createTestHost, makeLive } from '../../support/host.ts';
import { connectDatabase, tellReady } from './database.ts';

/** The built-in host as it runs, with one site made of the files of a folder: what the peers serve from that folder. */
const [folder = ''] = process.argv.slice(2);
const content: Record<string, Buffer> = {};
for (const name of await readdir(folder)) content[name] = await readFile(join(folder, name));

await connectDatabase();
const site = await createTestHost({ changes: 'feed' });
const slug = `bench-${randomBytes(4).toString('hex')}`;
await makeLive(await addRelease(site, slug, content, 'live'));
await site.host.refresh();
tellReady(site.host.address.port, { host: `${slug}.localhost` });
