import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { UploadZipAnswer } from '../../routers/schemas/releases.ts';
import { type Account, clientOf, openAccount, releaseEnd, startPublish } from '../support/doors.ts';
import { get } from '../support/host.ts';
import { startRealApp } from '../support/real-app.ts';
import type { SiteFiles } from '../support/sites.ts';
import { writeZip } from '../support/zip-writer.ts';
import { unpin } from './harness.ts';
import { mongoUri } from './servers/database.ts';

/**
 * Publishing again with one of 10,000 files changed, to the built-in host, through the documented doors as a script uses
 * them: from the first request to the release seen live. The first time all come in one ZIP. There is no peer; more or
 * less than one file sent the second time is a failure. At last it is rolled back to the first.
 */
const FILES = 10_000;
const CHANGED = 'pages/5000.html';
const KB = 1_000;
/** A roll back that failed leaves the release as it was. */
const ROLL_BACK_MAX_MS = 60_000;

type Traffic = { requests: number; files: number; bytes: number };

/** Counts what leaves this process until it is disposed: the typed client and the doors both use the global `fetch`. */
function countTraffic(): { traffic: Traffic } & Disposable {
  const original = globalThis.fetch;
  const traffic: Traffic = { requests: 0, files: 0, bytes: 0 };
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    traffic.requests += 1;
    if (init?.method === 'PUT' && /\/api\/uploads\/\w+\/files\//.test(url)) traffic.files += 1;
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

type Published = { id: string; traffic: Traffic; seconds: number; sendSeconds: number };

/** Runs `send`, which starts a release, and waits until that is live. */
async function publish(account: Account, send: () => Promise<{ id: string; number: number }>): Promise<Published> {
  using counted = countTraffic();
  const startedAt = performance.now();
  const release = await send();
  const sendSeconds = (performance.now() - startedAt) / 1000;
  // Asking whether it is live is the waiting, and no part of what publishing takes.
  const traffic = { ...counted.traffic };
  const state = await releaseEnd(account, release.id);
  if (state !== 'live') throw new Error(`Release ${release.number} ended ${state}.`);
  return { id: release.id, traffic, seconds: (performance.now() - startedAt) / 1000, sendSeconds };
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

function print(name: string, { traffic, seconds, sendSeconds }: Published): void {
  const { requests, bytes } = traffic;
  console.log(
    `  ${name}: ${requests} requests, ${(bytes / KB).toFixed(0)} kB; live after ${seconds.toFixed(2)} s, of which sending ${sendSeconds.toFixed(2)} s`,
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

console.log(
  `Publishing ${FILES.toLocaleString('en')} files, and again with one of them changed, to the built-in host (no peer)`,
);
unpin();
const folder = await mkdtemp(join(tmpdir(), 'fairlead-publish-bench-'));
const uri = mongoUri().replace('/?', `/publish${process.pid}?`);
const app = await startRealApp({ MONGODB_URI: uri, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' });
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
  site[CHANGED] = '<h1>Changed</h1>';
  const again = await publish(account, async () => (await startPublish(account, { deploymentId: id }, site)).release);
  const { files } = again.traffic;
  print(`one of them changed: ${files} ${files === 1 ? 'file' : 'files'} sent`, again);
  if (files !== 1) throw new Error(`${files} files were sent where one had changed.`);
  const { text } = await get(app.sitesPort, `${slug}.localhost`, `/${CHANGED}`);
  if (text !== site[CHANGED]) throw new Error('What is served is not what was published.');
  console.log(`  rolled back to the first: live after ${(await rollBack(account, id, first.id)).toFixed(2)} s`);
} finally {
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
