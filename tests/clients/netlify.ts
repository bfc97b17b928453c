import { deepEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';
import { testEgress } from '../support/platforms.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { newSite } from '../support/standins/netlify/state.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { NETLIFY_COMMAND } from './install.ts';
import type { Client } from './run.ts';

const SITE = 'by-command';
/** More than the number above which the command has its manifest compared in the background. */
const FILES = 120;

export const netlifyCommand: Client = {
  ...NETLIFY_COMMAND,
  async publish(installed, folder) {
    await using standIn = await startNetlify();
    const site = newSite(SITE, 'simulated-team');
    standIn.state.sites.set(site.id, site);
    const deploy = deployWith(join(installed, 'netlify-cli', 'bin', 'run.js'), folder, standIn.apiUrl);

    await mkdir(join(folder, 'site', 'a b'), { recursive: true });
    for (let index = 1; index < FILES; index += 1) {
      await writeFile(join(folder, 'site', 'a b', `${index}.txt`), `file ${index}`);
    }
    await writeFile(join(folder, 'site', 'index.html'), 'one');
    await deploy();
    deepEqual(await textOfSite(standIn.port), ['one', 'file 7']);

    await writeFile(join(folder, 'site', 'index.html'), 'two');
    const before = standIn.requests.length;
    await deploy();
    deepEqual(await textOfSite(standIn.port), ['two', 'file 7']);
    const sent = standIn.requests.slice(before).filter(({ step }) => step === 'upload');
    deepEqual(sent.length, 1);
    deepEqual(standIn.drift, []);
  },
};

/** The command looks for a site by its name alone where it cannot reach another service of Netlify's. */
function deployWith(command: string, folder: string, apiUrl: string): () => Promise<void> {
  const args = ['deploy', '--dir', join(folder, 'site'), '--no-build', '--prod', '--json', '--site', SITE];
  const env = {
    PATH: process.env.PATH,
    CI: '1',
    HOME: folder,
    NETLIFY_API_URL: apiUrl,
    NETLIFY_AUTH_TOKEN: TOKEN,
  };
  return async () => {
    await promisify(execFile)(process.execPath, [command, ...args], { cwd: folder, env });
  };
}

async function textOfSite(port: number): Promise<string[]> {
  const egress = testEgress();
  const { signal } = new AbortController();
  const address = `http://${SITE}.netlify.localhost:${port}`;
  const read = (path: string) =>
    egress.request(`${address}${path}`, { signal, maxBytes: 1_000, wholeMs: 60_000 }, ({ body }) =>
      textWithinBudget(body),
    );
  return Promise.all(['/', '/a%20b/7.txt'].map(read));
}
