import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as z from 'zod/mini';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { encodeManifest, type ManifestEntry } from '../../server/store/manifest.ts';
import type { ArtifactInfo, ArtifactIntake } from '../../server/store/store.ts';

/**
 * A process of its own that stores the files of one that publishes (publishing-process.ts), so that what is measured of
 * that one is publishing alone: `node storing-process.ts {folder of the store} {file of digests} {folder}`. It stores
 * the whole folder, and then the paths it is told, and answers each time with the hash of the list of all files. The
 * SHA-1 of each goes to the file of digests, as it goes to the database in the product.
 */
const STREAMED_BYTES = 8 * 1024 ** 2;

const [, , storeFolder = '', digestFile = '', folder = ''] = process.argv;
const changedSchema = z.array(z.string());
const store = await createDiskStore({ folder: storeFolder, minFreeBytes: 0, rateCounters: createRateCounters() });
const manifest = new Map<string, ManifestEntry>();

async function keep(paths: readonly string[]): Promise<string> {
  const intake = await store.intake();
  let digests = '';
  for (const path of paths) {
    const { sha256, sizeBytes, sha1 } = await keepFile(intake, join(folder, path));
    digests += `${sha256} ${sha1}\n`;
    manifest.set(path.split(sep).join('/'), { sha256, sizeBytes });
  }
  await intake.commit();
  await appendFile(digestFile, digests);
  const { sha256: manifestHash } = await store.writeWhole(await encodeManifest(manifest));
  return manifestHash;
}

async function keepFile(intake: ArtifactIntake, path: string): Promise<ArtifactInfo> {
  if ((await stat(path)).size > STREAMED_BYTES) return intake.addStream(createReadStream(path));
  const bytes = await readFile(path);
  const [sha256 = '', sha1 = ''] = ['sha256', 'sha1'].map((name) => createHash(name).update(bytes).digest('hex'));
  const info = { sha256, sha1, sizeBytes: bytes.length };
  await intake.add(bytes, info);
  return info;
}

process.on('message', async (told) => process.send?.(await keep(changedSchema.parse(told))));
process.once('disconnect', () => process.exit(0));
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
process.send?.(
  await keep(entries.filter((one) => one.isFile()).map((one) => relative(folder, join(one.parentPath, one.name)))),
);
