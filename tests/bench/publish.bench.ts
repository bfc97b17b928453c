import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { UploadZipAnswer } from '../../routers/schemas/releases.ts';
import { type Account, clientOf, openAccount, releaseEnd, startPublish } from '../support/api-account.ts';
import { get } from '../support/get.ts';
import { startRealApp } from '../support/real-app.ts';
import type { SiteFiles } from '../support/sites.ts';
import { writeZip } from '../support/zip-writer.ts';
import { type FileServer, findFileServers } from './file-servers.ts';
import { fixed, printRatio, unpin } from './harness.ts';
import { mongoUri } from './ready.ts';

/**
 * Publishing 10,000 files to the built-in host, and again with 1, 100 and 1,000 of them changed, through the documented
 * API as a script uses it: from the first request to the release seen live. The first time all come in one ZIP. Sending
 * other files than those that changed is a failure. At last it is rolled back to the first.
 *
 * The peer is what somebody does by hand, who has no list of what changed: `unzip`, `sha256sum` of every file, and one GET
 * of each from nginx by curl, eight at once. It is the same for one changed file as for all.
 */
const FILES = 10_000;
const CHANGES = [1, 100, 1_000] as const;
const AT_ONCE = 8;
const KB = 1_000;
/** A roll back that failed leaves the release as it was. */
const ROLL_BACK_MAX_MS = 60_000;
const COMPRESSED_MAX_MS = 120_000;
const PEER_ROUNDS = 3;

type Traffic = { requests: number; bytes: number };

/** Counts what leaves this process until it is disposed: the typed client and the uploads both use the global `fetch`. */
function countTraffic(): { traffic: Traffic } & Disposable {
  const original = globalThis.fetch;
  const traffic: Traffic = { requests: 0, bytes: 0 };
  globalThis.fetch = (input, init) => {
    traffic.requests += 1;
    traffic.bytes += sizeOf(init?.body);
    return original(input, init);
  };
  return {
    traffic,
    [Symbol.dispose]: () => {
      globalThis.fetch = original;
    },
  };
}

function sizeOf(body: RequestInit['body']): number {
  if (body === null || body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.byteLength;
  throw new Error('A body of a kind whose bytes are not counted.');
}

/** About 10 kB each, none like another. */
function makeSite(): SiteFiles {
  const site: SiteFiles = { 'index.html': '<h1>Ten thousand files</h1>' };
  for (let number = 1; number < FILES; number += 1) {
    site[`pages/${number}.html`] = `<h1>Page ${number}</h1>${`<p>Tie rope ${number} well.</p>\n`.repeat(350)}`;
  }
  return site;
}

type Published = {
  id: string;
  traffic: Traffic;
  seconds: number;
  sendSeconds: number;
  liveSeconds: number;
  steps: string;
};

/** Runs `send`, which starts a release, and waits until that is live. */
async function publish(account: Account, send: () => Promise<{ id: string; number: number }>): Promise<Published> {
  using counted = countTraffic();
  const startedAt = performance.now();
  const { id, number } = await send();
  const sendSeconds = (performance.now() - startedAt) / 1000;
  // Asking whether it is live is the waiting, and no part of what publishing takes.
  const traffic = { ...counted.traffic };
  const state = await releaseEnd(account, id);
  if (state !== 'live') throw new Error(`Release ${number} ended ${state}.`);
  const seconds = (performance.now() - startedAt) / 1000;
  const { createdAt, finishedAt, steps } = await clientOf(account).releases.get.query({ releaseId: id });
  const told = steps.map(({ name, startedAt: from, endedAt: to }) => `${name} ${secondsBetween(from, to)}`).join(', ');
  return { id, traffic, seconds, sendSeconds, liveSeconds: Number(secondsBetween(createdAt, finishedAt)), steps: told };
}

function secondsBetween(from: Date | null, to: Date | null): string {
  return fixed(((to?.getTime() ?? Number.NaN) - (from?.getTime() ?? Number.NaN)) / 1000);
}

/** The host compresses what went live; until it has, the next figure would be that of a busy machine. */
async function untilCompressed(sitesPort: number, slug: string, path: string): Promise<void> {
  for (const giveUpAt = performance.now() + COMPRESSED_MAX_MS; performance.now() < giveUpAt; await wait(200)) {
    const { headers } = await get(sitesPort, `${slug}.localhost`, `/${path}`, { headers: { 'accept-encoding': 'br' } });
    if (headers['content-encoding'] === 'br') return;
  }
  throw new Error('What went live was not compressed.');
}

async function refuseOther(sitesPort: number, slug: string, path: string, expected: unknown): Promise<void> {
  const { text } = await get(sitesPort, `${slug}.localhost`, `/${path}`);
  if (text !== expected) throw new Error('What is served is not what was published.');
}

const run = promisify(execFile);

/** Seconds for the same files by hand; the hashes and the count of answers are what ours are too. */
async function byHand(folder: string, zip: Uint8Array, nginx: FileServer): Promise<number> {
  const site = join(folder, `by-hand-${performance.now()}`);
  const archive = `${site}.zip`;
  await writeFile(archive, zip);
  await mkdir(site);
  const server = await nginx.start(site);
  try {
    const startedAt = performance.now();
    await run('unzip', ['-q', archive, '-d', site]);
    const { stdout } = await run('sh', ['-c', 'find . -type f -print0 | xargs -0 sha256sum'], {
      cwd: site,
      maxBuffer: 2 ** 26,
    });
    const paths = stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(68));
    const addresses = paths.map((path) => `url = "http://127.0.0.1:${server.port}/${path}"\noutput = "/dev/null"`);
    await writeFile(`${site}.curl`, addresses.join('\n'));
    const parallel = ['--parallel', '--parallel-max', String(AT_ONCE)];
    const asked = await run('curl', ['-sf', ...parallel, '-w', '%{http_code}\n', '-K', `${site}.curl`], {
      maxBuffer: 2 ** 24,
    });
    const answers = asked.stdout.split('\n').filter((status) => status === '200').length;
    if (paths.length !== FILES || answers !== FILES)
      throw new Error(`By hand ${answers} of ${paths.length} were seen.`);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await server.stop();
  }
}

async function sendZip(account: Account, deploymentId: string, zip: Uint8Array<ArrayBuffer>) {
  const client = clientOf(account);
  const { uploadId } = await client.releases.prepare.mutate({ deploymentId });
  const answer = await fetch(`${account.url}/api/uploads/${uploadId}/zip`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/zip' },
    body: zip,
  });
  if (!answer.ok) throw new Error(`The ZIP was answered ${answer.status}: ${await answer.text()}`);
  const { files }: UploadZipAnswer = await answer.json();
  if (files.length !== FILES) throw new Error(`${files.length} files arrived of ${FILES}.`);
  return client.releases.create.mutate({ deploymentId, uploadId });
}

function print(name: string, { traffic, seconds, sendSeconds, liveSeconds, steps }: Published): void {
  const { requests, bytes } = traffic;
  console.log(
    `  ${name}: ${requests} requests, ${(bytes / KB).toFixed(0)} kB; in all ${fixed(seconds)} s, of which sending ${fixed(sendSeconds)} s; live ${fixed(liveSeconds)} s after it was created (${steps})`,
  );
}

/** Seconds until an earlier release is live again. */
async function rollBack(account: Account, deploymentId: string, releaseId: string): Promise<number> {
  const client = clientOf(account);
  const startedAt = performance.now();
  await client.deployments.rollBack.mutate({ deploymentId, releaseId });
  for (;;) {
    const { state, isCurrent } = await client.releases.get.query({ releaseId });
    if (isCurrent && state === 'live') return (performance.now() - startedAt) / 1000;
    if (performance.now() - startedAt > ROLL_BACK_MAX_MS) throw new Error(`The release was ${state} at last.`);
    await wait(20);
  }
}

console.log(`Publishing ${FILES.toLocaleString('en')} files to the built-in host, and again with some of them changed`);
unpin();
const folder = await mkdtemp(join(tmpdir(), 'fairlead-publish-bench-'));
const uri = mongoUri().replace('/?', `/publish${process.pid}?`);
const app = await startRealApp({
  MONGODB_URI: uri,
  DATA_DIR: join(folder, 'data'),
  LOG_LEVEL: 'error',
  // As `npm start` sets it.
  UV_THREADPOOL_SIZE: '16',
});
try {
  const account = await openAccount(app.url, 'bench publish');
  const { id, slug } = await clientOf(account).deployments.create.mutate({
    name: 'Ten thousand',
    platform: 'built-in',
  });
  const site = makeSite();
  const parts = Object.entries(site).map(([name, data]) => ({ name, data, method: 8 }));
  const zip = new Uint8Array(writeZip(parts));
  const first = await publish(account, () => sendZip(account, id, zip));
  print(`all ${FILES.toLocaleString('en')} in one ZIP`, first);
  await untilCompressed(app.sitesPort, slug, 'pages/5000.html');
  const again: Published[] = [];
  for (const count of CHANGES) {
    const changed = Array.from({ length: count }, (_, number) => `pages/${number * 9 + 1}.html`);
    for (const path of changed) site[path] = `<h1>Changed with ${count}</h1>${`<p>${path}</p>`.repeat(100)}`;
    const published = await publish(account, async () => {
      const { release, sent } = await startPublish(account, { deploymentId: id }, site);
      if (sent !== count) throw new Error(`${sent} files were sent where ${count} had changed.`);
      return release;
    });
    print(`${count.toLocaleString('en')} changed`, published);
    for (const path of [changed[0] ?? '', changed.at(-1) ?? ''])
      await refuseOther(app.sitesPort, slug, path, site[path]);
    await untilCompressed(app.sitesPort, slug, changed[0] ?? '');
    again.push(published);
  }
  console.log(`  rolled back to the first: live after ${fixed(await rollBack(account, id, first.id))} s`);

  const { servers, absent } = findFileServers();
  const nginx = servers.find(({ name }) => name === 'nginx');
  if (nginx === undefined) console.log(`  ${absent.find((line) => line.startsWith('nginx'))}`);
  else {
    const peers: number[] = [];
    for (let round = 0; round < PEER_ROUNDS; round += 1) peers.push(await byHand(folder, zip, nginx));
    const peer = (ours: number) => peers.map((seconds) => ({ ours, peer: seconds }));
    const options = { unit: 's', goal: 'at most 1.0' };
    const what = 'against unzip, sha256sum and one GET of each from nginx';
    printRatio(
      `all ${FILES.toLocaleString('en')}, from the first request to live, ${what}`,
      peer(first.seconds),
      options,
    );
    printRatio(
      `one of them changed, from the first request to live, ${what}`,
      peer(again[0]?.seconds ?? Number.NaN),
      options,
    );
  }
} finally {
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
