import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { textWithinBudget } from '../../server/lib/egress/answer-budget.ts';
import { testEgress } from '../support/platforms.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { OWNER, SITES_DOMAIN } from '../support/standins/github-pages/state.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import type { Client } from './run.ts';

const SITE = 'by-octokit';
const BRANCH = 'main';

type Call = (parameters: Record<string, unknown>) => Promise<{ status: number; data: unknown }>;
type Octokit = { rest: Record<'repos' | 'git' | 'users', Record<string, Call>> };
type OctokitClass = new (options: { auth: string; baseUrl: string }) => Octokit;

const moduleSchema = z.object({ Octokit: z.custom<OctokitClass>((value) => typeof value === 'function') });
const shaSchema = z.object({ data: z.object({ sha: z.string() }) });
const refSchema = z.object({ data: z.object({ object: z.object({ sha: z.string() }) }) });
const pageSchema = z.object({ data: z.object({ html_url: z.string(), cname: z.nullable(z.string()) }) });
const buildSchema = z.object({ data: z.object({ status: z.string(), commit: z.string() }) });

const LOOKS_MAX = 10;

/** GitHub's own client of its REST API. */
export const octokit: Client = {
  name: 'octokit',
  packages: ['@octokit/rest@22.0.1'],
  async publish(installed) {
    await using standIn = await startGithub();
    const { href } = pathToFileURL(join(installed, '@octokit', 'rest', 'dist-src', 'index.js'));
    const { Octokit } = moduleSchema.parse(await import(href));
    const { rest } = new Octokit({ auth: TOKEN, baseUrl: standIn.apiUrl });
    const repository = { owner: OWNER, repo: SITE };
    const call = (part: keyof typeof rest, name: string, parameters: Record<string, unknown> = {}) =>
      rest[part][name]?.({ ...repository, ...parameters });
    await call('users', 'getAuthenticated');
    await call('repos', 'createForAuthenticatedUser', { name: SITE, auto_init: true });

    const publish = async (text: string): Promise<string> => {
      const parent = refSchema.parse(await call('git', 'getRef', { ref: `heads/${BRANCH}` })).data.object.sha;
      const content = Buffer.from([0, 1, 2]).toString('base64');
      const blob = shaSchema.parse(await call('git', 'createBlob', { content, encoding: 'base64' })).data.sha;
      const entry = { mode: '100644', type: 'blob' };
      const tree = [
        { ...entry, path: 'index.html', content: text },
        { ...entry, path: 'a b/7.bin', sha: blob },
      ];
      const made = shaSchema.parse(await call('git', 'createTree', { tree })).data.sha;
      const commit = { message: 'By Octokit', tree: made, parents: [parent] };
      const { sha } = shaSchema.parse(await call('git', 'createCommit', commit)).data;
      await call('git', 'updateRef', { ref: `heads/${BRANCH}`, sha });
      return sha;
    };

    await publish('one');
    const source = { branch: BRANCH, path: '/' };
    const { data: page } = pageSchema.parse(await call('repos', 'createPagesSite', { source, build_type: 'legacy' }));
    const untilBuilt = async (sha: string): Promise<void> => {
      for (let look = 0; look < LOOKS_MAX; look += 1) {
        const { data } = buildSchema.parse(await call('repos', 'getLatestPagesBuild'));
        if (data.commit === sha && data.status === 'built') return;
      }
      throw new Error('The website was not built.');
    };
    const head = refSchema.parse(await call('git', 'getRef', { ref: `heads/${BRANCH}` })).data.object.sha;
    await untilBuilt(head);
    deepEqual(await textsOf(page.html_url), ['one', '\0\x01\x02']);
    await untilBuilt(await publish('two'));
    deepEqual(await textsOf(page.html_url), ['two', '\0\x01\x02']);

    await call('repos', 'updateInformationAboutPagesSite', { cname: 'shop.example.com' });
    deepEqual(pageSchema.parse(await call('repos', 'getPages')).data.cname, 'shop.example.com');
    deepEqual(new URL(page.html_url).hostname, `${OWNER}.${SITES_DOMAIN}`);
    deepEqual(standIn.drift, []);
  },
};

async function textsOf(address: string): Promise<string[]> {
  const egress = testEgress();
  const { signal } = new AbortController();
  const read = (path: string) =>
    egress.request(`${address}${path}`, { signal, maxBytes: 1_000, wholeMs: 60_000 }, ({ body }) =>
      textWithinBudget(body),
    );
  return Promise.all(['', 'a%20b/7.bin'].map(read));
}
