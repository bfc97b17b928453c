import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { encodeManifest, type ManifestEntry } from '../../server/artifacts/manifest.ts';
import type { ArtifactInfo, ArtifactIntake } from '../../server/artifacts/store.ts';
import { createPlatforms } from '../../server/platforms/index.ts';
import type { Platform, PublishRequest } from '../../server/platforms/platform.ts';
import { platformHarness, published, restored } from './platform-harness.ts';

/**
 * A process of its own that publishes a folder with the adapter of one platform and nothing else of the product:
 * `node publishing-process.ts {platform} {address of its API} {address of GitHub's} {folder} {patient}`. It stores the folder and says that it
 * is ready; told paths that have changed, or none, it publishes, makes the release public and says how long that took.
 * Only a patient one really waits where an adapter waits.
 */
const STREAMED_BYTES = 8 * 1024 ** 2;

const [, , id = '', apiUrl = '', githubApiUrl = '', folder = '', patience = ''] = process.argv;
const changedSchema = z.array(z.string());
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
const manifest = new Map<string, ManifestEntry>();
const sha1s = new Map<string, string>();
let previous: PublishRequest['previous'] = null;

function platformOf(name: string): Platform {
  const found = Object.values(made).find((one) => one.id === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
}

async function keep(paths: readonly string[]): Promise<void> {
  const intake = await store.intake();
  for (const path of paths) {
    const { sha256, sizeBytes, sha1 } = await keepFile(intake, join(folder, path));
    sha1s.set(sha256, sha1);
    manifest.set(path.split(sep).join('/'), { sha256, sizeBytes });
  }
  await intake.commit();
}

async function keepFile(intake: ArtifactIntake, path: string): Promise<ArtifactInfo> {
  if ((await stat(path)).size > STREAMED_BYTES) return intake.addStream(createReadStream(path));
  const bytes = await readFile(path);
  const [sha256 = '', sha1 = ''] = ['sha256', 'sha1'].map((name) => createHash(name).update(bytes).digest('hex'));
  const info = { sha256, sha1, sizeBytes: bytes.length };
  await intake.add(bytes, info);
  return info;
}

async function publish(number: number): Promise<number> {
  const { sha256: manifestHash } = await store.writeWhole(await encodeManifest(manifest));
  const request: PublishRequest = {
    release: { id: createHash('sha256').update(`${number}`).digest('hex').slice(0, 20), number },
    manifest: new Map(manifest),
    manifestHash,
    ref: null,
    previous,
    sha1Of: async (sha256s) => new Map(sha256s.map((sha256) => [sha256, sha1s.get(sha256) ?? ''])),
    confirmedUrl: null,
  };
  const startedAt = performance.now();
  let { ref } = await published(platform, call, request);
  if (platform.capabilities.draft) ref = await restored(platform, call, ref);
  previous = { ref, manifest: request.manifest };
  return performance.now() - startedAt;
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
await keep(entries.filter((one) => one.isFile()).map((one) => relative(folder, join(one.parentPath, one.name))));
globalThis.gc?.();
let number = 0;
process.on('message', async (told) => {
  await keep(changedSchema.parse(told));
  number += 1;
  process.send?.({ ms: await publish(number) });
});
process.once('disconnect', async () => {
  await harness[Symbol.asyncDispose]();
  process.exit(0);
});
process.send?.({ ms: 0 });
