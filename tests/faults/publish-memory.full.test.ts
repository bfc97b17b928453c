import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atFreePort } from '../support/at-free-port.ts';
import { startPublisher } from '../support/publisher.ts';
import { startGithub } from '../support/standins/github-pages/index.ts';
import { startHeroku } from '../support/standins/heroku/index.ts';
import { startNetlify } from '../support/standins/netlify/index.ts';
import { startRender } from '../support/standins/render/index.ts';
import { startVercel } from '../support/standins/vercel/index.ts';

/** A site of half a gigabyte: a few large files, and many small ones. */
const MIB = 1024 ** 2;
const KINDS = [
  { name: 'film', count: 4, bytes: 50 * MIB },
  // As large as a file may be that is read at once.
  { name: 'photo', count: 200, bytes: MIB },
  { name: 'page', count: 4_000, bytes: 25 * 1024 },
];
const ENTRY_PAGE = 'large';
const PEAK_MAX_MIB = 96;

let folder = '';
let siteBytes = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-large-site-'));
  for (const { name, count, bytes } of KINDS) {
    await mkdir(join(folder, name));
    for (let number = 0; number < count; number += 1) {
      await writeFile(join(folder, name, `${number}.bin`), randomBytes(bytes));
    }
    siteBytes += count * bytes;
  }
  await writeFile(join(folder, 'index.html'), ENTRY_PAGE);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const PLATFORMS = [
  // The publisher waits in no time, so that it would be sent away for more requests than a minute has room for.
  { id: 'netlify', start: () => startNetlify({}, { limits: [] }) },
  { id: 'heroku', start: startHeroku },
  { id: 'github-pages', start: startPatientGithub },
  { id: 'vercel', start: startVercel },
  { id: 'render', start: startRenderAtGithub },
  { id: 'replit', start: startSite },
  { id: 'built-in', start: startSite },
] as const;

/** The publisher waits in no time: here the ten seconds between two requests pass that keep below GitHub's limits. */
async function startPatientGithub() {
  const github = await startGithub();
  let now = Date.now();
  github.state.now = () => {
    now += 10_000;
    return now;
  };
  return github;
}

/** The files go to GitHub: its requests are counted. */
async function startRenderAtGithub() {
  const github = await startPatientGithub();
  const render = await startRender(github.state);
  return {
    apiUrl: render.apiUrl,
    githubApiUrl: github.apiUrl,
    requests: github.requests,
    [Symbol.asyncDispose]: async () => {
      await render[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
}

/** Nothing is sent: the files are read, and the entry page is looked at where a person has published it. */
async function startSite() {
  const listening = await atFreePort(createServer((_request, response) => response.end(ENTRY_PAGE)));
  return { ...listening, apiUrl: listening.url, requests: null };
}

test.each(PLATFORMS)('a large site is published to $id in a memory of 96 MiB', async ({ id, start }) => {
  await using standIn = await start();
  const { apiUrl } = standIn;
  const githubApiUrl = 'githubApiUrl' in standIn ? standIn.githubApiUrl : apiUrl;
  await using publisher = await startPublisher(id, apiUrl, folder, { githubApiUrl });
  const { aboveIdleBytes } = await publisher.publish();
  const sent = standIn.requests?.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (sent !== undefined) expect(sent).toBeGreaterThan(siteBytes);
  const above = aboveIdleBytes === null ? null : Math.round(aboveIdleBytes / MIB);
  process.stdout.write(`${id}: ${above} MiB above idle for a site of ${Math.round(siteBytes / MIB)} MiB\n`);
  // Only Linux tells the memory of another process; there it has to be known.
  if (process.platform === 'linux') expect(above).not.toBeNull();
  if (above !== null) expect(above).toBeLessThanOrEqual(PEAK_MAX_MIB);
});
