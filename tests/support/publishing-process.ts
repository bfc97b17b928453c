import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
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
const keptSchema = z.object({ manifestHash: z.string(), sha1s: z.array(z.tuple([z.string(), z.string()])) });
export type Kept = z.infer<typeof keptSchema>;
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
const storing = spawn(process.execPath, [...program('storing-process'), harness.folder, folder], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
storing.once('exit', async (code) => {
  await harness[Symbol.asyncDispose]();
  process.exit(code ?? 1);
});
const sha1s = new Map<string, string>();
let manifestHash = '';
let previous: PublishRequest['previous'] = null;

function platformOf(name: string): Platform {
  const found = Object.values(made).find((one) => one.id === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
}

/** Stores what has changed, in the other process, and knows what there is by now. */
async function kept(): Promise<void> {
  const [answer] = await once(storing, 'message');
  const { manifestHash: hash, sha1s: stored } = keptSchema.parse(answer);
  manifestHash = hash;
  for (const [sha256, sha1] of stored) sha1s.set(sha256, sha1);
}

async function publish(number: number): Promise<number> {
  const request: PublishRequest = {
    release: { id: createHash('sha256').update(`${number}`).digest('hex').slice(0, 20), number },
    manifest: await decodeManifest(await store.readWhole(manifestHash)),
    manifestHash,
    ref: null,
    previous,
    sha1Of: async (sha256s) => new Map(sha256s.map((sha256) => [sha256, sha1s.get(sha256) ?? ''])),
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
