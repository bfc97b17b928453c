import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { createPlatforms } from '../../server/publishing/platforms/index.ts';
import type { Platform, PublishRequest } from '../../server/publishing/platforms/platform.ts';
import { decodeManifest } from '../../server/store/manifest.ts';
import { platformHarness, published, restored } from './platform-harness.ts';
import { program } from './program.ts';

/**
 * A process of its own that publishes a folder with the adapter of one platform and nothing else of the product:
 * `node publishing-process.ts {platform} {address of its API} {address of GitHub's} {folder} {patient}`. Another
 * (storing-process.ts) stores the folder; then it says that it is ready. Told paths that have changed, or none, it
 * publishes, makes the release public and says how long that took. Only a patient one really waits where an adapter waits.
 */
const [, , id = '', apiUrl = '', githubApiUrl = '', folder = '', patience = ''] = process.argv;
const changedSchema = z.array(z.string());
const SHA256_LENGTH = 64;
const LINE_LENGTH = SHA256_LENGTH + ' '.length + 40 + '\n'.length;
const made = createPlatforms({
  netlify: apiUrl,
  vercel: apiUrl,
  'github-pages': githubApiUrl,
  render: apiUrl,
  heroku: apiUrl,
});
const platform = platformOf(id);

const { store, ...harness } = await platformHarness();
const call = { ...harness.call };
if (patience === 'patient') {
  call.now = () => new Date();
  call.wait = async (ms, signal) => delay(ms, undefined, { signal });
}
const digestFile = join(harness.folder, 'digests');
const storing = spawn(process.execPath, [...program('storing-process'), harness.folder, digestFile, folder], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
storing.once('exit', async (code) => {
  await harness[Symbol.asyncDispose]();
  process.exit(code ?? 1);
});
let manifestHash = '';
let previous: PublishRequest['previous'] = null;

function platformOf(name: string): Platform {
  const found = Object.values(made).find((one) => one.id === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
}

/** Waits until the other process has stored what has changed. */
async function kept(): Promise<void> {
  const [answer] = await once(storing, 'message');
  manifestHash = String(answer);
}

/** Reads lines of a SHA-256 and its SHA-1 (storing-process.ts). */
async function readSha1s(): Promise<Map<string, string>> {
  const digests = await readFile(digestFile, 'latin1');
  const sha1s = new Map<string, string>();
  for (let at = 0; at < digests.length; at += LINE_LENGTH) {
    sha1s.set(digests.slice(at, at + SHA256_LENGTH), digests.slice(at + SHA256_LENGTH + 1, at + LINE_LENGTH - 1));
  }
  return sha1s;
}

async function publish(number: number): Promise<number> {
  const request: PublishRequest = {
    release: { id: createHash('sha256').update(`${number}`).digest('hex').slice(0, 20), number },
    manifest: await decodeManifest(await store.readWhole(manifestHash)),
    manifestHash,
    ref: null,
    previous,
    sha1Of: readSha1s,
    // Where a person has a part, it is done already.
    confirmedUrl: apiUrl,
  };
  const startedAt = performance.now();
  let { ref } = await published(platform, call, request);
  if (platform.capabilities.draft) ref = await restored(platform, call, ref);
  previous = { ref, manifest: request.manifest };
  return performance.now() - startedAt;
}

await kept();
globalThis.gc?.();
let number = 0;
process.on('message', async (told) => {
  const stored = kept();
  storing.send(changedSchema.parse(told));
  await stored;
  number += 1;
  process.send?.({ ms: await publish(number) });
});
process.once('disconnect', () => storing.disconnect());
process.send?.({ ms: 0 });
