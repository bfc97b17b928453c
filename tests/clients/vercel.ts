import { deepEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';
import { testEgress } from '../support/platforms.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { CLIENT_DRIFT, startVercel } from '../support/standins/vercel/index.ts';
import { ZONE } from '../support/standins/vercel/state.ts';
import { VERCEL_CLIENT } from './install.ts';
import type { Client } from './run.ts';

const SITE = 'by-client';

const clientSchema = z.object({ createDeployment: z.custom<CreateDeployment>((value) => typeof value === 'function') });
type CreateDeployment = (
  options: Record<string, unknown>,
  deployment: Record<string, unknown>,
) => AsyncIterable<{ type: string; payload: unknown }>;

export const vercelClient: Client = {
  ...VERCEL_CLIENT,
  async publish(installed, folder) {
    await using standIn = await startVercel();
    const client = clientSchema.parse(createRequire(join(installed, 'client.js'))('@vercel/client'));
    const output = join(folder, '.vercel', 'output');
    await mkdir(join(output, 'static', 'a b'), { recursive: true });
    await writeFile(
      join(output, 'config.json'),
      JSON.stringify({ version: 3, overrides: { 'p.html': { path: 'p' } } }),
    );
    await writeFile(join(output, 'static', 'index.html'), 'one');
    await writeFile(join(output, 'static', 'p.html'), 'page');
    await writeFile(join(output, 'static', 'a b', '7.txt'), 'file 7');
    const deploy = async (): Promise<void> => {
      const options = { token: TOKEN, path: folder, apiUrl: standIn.apiUrl, prebuilt: true, vercelOutputDir: output };
      const deployment = { name: SITE, target: 'production', projectSettings: { framework: null } };
      let last = '';
      for await (const { type, payload } of client.createDeployment(options, deployment)) {
        if (type === 'error') throw payload;
        last = type;
      }
      deepEqual(last, 'alias-assigned');
    };

    await deploy();
    deepEqual(await textsOf(standIn.port), ['one', 'file 7', 'page']);
    await writeFile(join(output, 'static', 'index.html'), 'two');
    const before = standIn.requests.length;
    await deploy();
    deepEqual(await textsOf(standIn.port), ['two', 'file 7', 'page']);
    deepEqual(standIn.requests.slice(before).filter(({ step }) => step === 'upload').length, 1);
    deepEqual(
      standIn.drift.filter((drift) => !CLIENT_DRIFT.test(drift)),
      [],
    );
  },
};

async function textsOf(port: number): Promise<string[]> {
  const egress = testEgress();
  const { signal } = new AbortController();
  const address = `http://${SITE}.${ZONE}:${port}`;
  const read = (path: string) =>
    egress.request(`${address}${path}`, { signal, maxBytes: 1_000, wholeMs: 60_000 }, ({ body }) =>
      textWithinBudget(body),
    );
  return Promise.all(['/', '/a%20b/7.txt', '/p'].map(read));
}
