import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeManifest, type ManifestEntry } from '../../server/artifacts/manifest.ts';
import type { ArtifactStore } from '../../server/artifacts/store.ts';
import { ReleaseModel } from '../../server/models/release.ts';
import { newId } from '../../server/mongo.ts';
import { createBloomFilter } from '../../server/services/bloom-filter.ts';
import { collectGarbage } from '../../server/services/garbage.ts';
import { createTestApp } from '../support/app.ts';

const IS_FULL = process.env.FAIRLEAD_FULL_COUNTS === '1';
const FILES_A_RELEASE = 20_000;
const RELEASES = IS_FULL ? 1_000 : 5;
const MEMORY_MAX_MIB = 300;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a filter has all that was added, little else, and never more than its memory', () => {
  const filter = createBloomFilter(50_000);
  for (let n = 0; n < 50_000; n += 1) filter.add(hashOf(`in ${n}`));
  for (let n = 0; n < 50_000; n += 1) expect(filter.mayHave(hashOf(`in ${n}`))).toBe(true);
  let wrong = 0;
  for (let n = 0; n < 50_000; n += 1) if (filter.mayHave(hashOf(`out ${n}`))) wrong += 1;
  expect(wrong).toBeLessThan(100);
  expect(createBloomFilter(10 ** 12).sizeBytes).toBe(64 * 1024 * 1024);
});

/** Release `number` names files that no other one has; the lists are made when they are read, so that no disk holds them. */
function fileOf(number: number, index: number): string {
  return hashOf(`${number} ${index}`);
}

function listOf(number: number): Promise<Buffer> {
  const files = new Map<string, ManifestEntry>();
  for (let index = 0; index < FILES_A_RELEASE; index += 1)
    files.set(`${index}`, { sha256: fileOf(number, index), sizeBytes: 1 });
  return encodeManifest(files);
}

test(`garbage of ${RELEASES * FILES_A_RELEASE} named files is found in bounded memory`, async () => {
  await using app = await createTestApp();
  const person = await app.person();
  const lists = new Map(Array.from({ length: RELEASES }, (_, number) => [hashOf(`list ${number}`), number]));
  await ReleaseModel.insertMany(
    [...lists].map(([manifestHash, number]) => ({
      _id: newId(),
      accountId: person.user.id,
      deploymentId: newId(),
      number: 1,
      source: 'folder',
      state: 'failed',
      createdBy: 'test',
      manifestHash,
      fileCount: FILES_A_RELEASE,
      totalBytes: FILES_A_RELEASE,
      changedFiles: number,
    })),
  );
  const asked = [fileOf(0, 0), fileOf(RELEASES - 1, FILES_A_RELEASE - 1), hashOf('nobody needs it')];
  const before = process.memoryUsage().rss;
  let peak = before;
  let chosen: ReadonlySet<string> = new Set();
  const store: ArtifactStore = {
    ...app.providers.store,
    readWhole: async (manifestHash) => {
      peak = Math.max(peak, process.memoryUsage().rss);
      return listOf(lists.get(manifestHash) ?? -1);
    },
    collect: async ({ choose }) => {
      chosen = await choose(asked);
      return { artifacts: chosen.size, sizeBytes: 0 };
    },
  };
  await collectGarbage({ ...app.providers, store }, new AbortController().signal);
  expect([...chosen]).toEqual([hashOf('nobody needs it')]);
  expect((peak - before) / 1024 ** 2).toBeLessThan(MEMORY_MAX_MIB);
}, 900_000);
