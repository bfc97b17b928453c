import { createHash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId } from '../../server/database/mongo.ts';
import { createLog } from '../../server/lib/log.ts';
import { createBloomFilter, divideHashes } from '../../server/store/bloom-filter.ts';
import { collectGarbage, neededArtifacts } from '../../server/store/garbage.ts';
import { decodeManifest, encodeManifest, type ManifestEntry } from '../../server/store/manifest.ts';
import type { ArtifactStore } from '../../server/store/store.ts';
import { createTestApp } from '../support/app.ts';
import { IS_FULL } from '../support/size.ts';
import { countTurns } from '../support/turns.ts';

const FILES_A_RELEASE = 20_000;
const RELEASES = IS_FULL ? 1_000 : 2;
const MEMORY_MAX_MIB = 300;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const ADDED = Array.from({ length: 50_000 }, (_, n) => hashOf(`in ${n}`));
const OTHERS = Array.from({ length: 50_000 }, (_, n) => hashOf(`out ${n}`));

test('a filter has all that was added, little else, and never more than its memory', () => {
  const filter = createBloomFilter(50_000);
  for (const hash of ADDED) filter.add(hash);
  expect(ADDED.filter((hash) => !filter.mayHave(hash))).toEqual([]);
  expect(OTHERS.filter((hash) => filter.mayHave(hash)).length).toBeLessThan(100);
  expect(createBloomFilter(10 ** 12).sizeBytes).toBe(64 * 1024 * 1024);
});

test('more hashes than one filter is good for are divided among several, each hash into one', () => {
  const parts = divideHashes(50_000, 16 * 1024);
  expect(parts).toHaveLength(7);
  let wrong = 0;
  for (const part of parts) {
    const filter = part.createFilter();
    expect(filter.sizeBytes).toBe(16 * 1024);
    for (const hash of ADDED) if (part.includes(hash)) filter.add(hash);
    for (const hash of OTHERS) if (part.includes(hash) && filter.mayHave(hash)) wrong += 1;
  }
  expect(wrong / 50_000).toBeLessThan(0.01);
  for (const hash of ADDED.slice(0, 1_000)) expect(parts.filter((part) => part.includes(hash))).toHaveLength(1);
  expect(divideHashes(30_000_000)).toHaveLength(1);
  // 100 accounts, each at its limit.
  expect(divideHashes(1_000_000_000)).toHaveLength(30);
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

/** Makes releases of one account, and the hashes of their lists. */
async function createReleases(accountId: string, count: number): Promise<ReadonlyMap<string, number>> {
  const lists = new Map(Array.from({ length: count }, (_, number) => [hashOf(`list ${number}`), number]));
  await ReleaseModel.insertMany(
    [...lists].map(([manifestHash, number]) => ({
      _id: newId(),
      accountId,
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
  return lists;
}

test(`garbage of ${RELEASES * FILES_A_RELEASE} named files is found in bounded memory`, async () => {
  await using app = await createTestApp();
  const person = await app.person();
  const lists = await createReleases(person.user.id, RELEASES);
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
  // Their lists are in no store, and in full counts too many for the passes of the next test.
  await ReleaseModel.deleteMany({ accountId: person.user.id });
  expect([...chosen]).toEqual([hashOf('nobody needs it')]);
  expect((peak - before) / 1024 ** 2).toBeLessThan(MEMORY_MAX_MIB);
});

test.each(['marked', 'yielded'])('while the files of a list are %s others have their turns', async (what) => {
  await using app = await createTestApp();
  const person = await app.person();
  const bytes = await listOf(0);
  await createReleases(person.user.id, 2);
  onTestFinished(async () => void (await ReleaseModel.deleteMany({ accountId: person.user.id })));
  let clock = performance.now();
  // Each step of the work takes its whole turn.
  using _now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 5));
  using turns = countTurns();
  await decodeManifest(bytes);
  const turnsOfReading = turns.count();
  const turnsAtLists: number[] = [];
  const store: ArtifactStore = {
    ...app.providers.store,
    readWhole: async () => {
      turnsAtLists.push(turns.count());
      return bytes;
    },
    collect: async () => ({ artifacts: 0, sizeBytes: 0 }),
  };
  const { signal } = new AbortController();
  const providers = { ...app.providers, store };
  if (what === 'marked') await collectGarbage(providers, signal);
  else expect(await countOf(neededArtifacts(providers, signal))).toBeGreaterThan(FILES_A_RELEASE - 100);
  // Both releases come from the database together, so that nothing is waited for from one list to the next.
  const [first = 0, second = 0] = turnsAtLists;
  expect(second - first - turnsOfReading).toBeGreaterThan(FILES_A_RELEASE / 1_000);
});

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _item of items) count += 1;
  return count;
}

test('names that are too many for one filter are collected in several passes', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: 'info', isTerminal: false, write: (line) => lines.push(JSON.parse(line)) });
  await using app = await createTestApp({ log });
  const person = await app.person();
  const lists = await createReleases(person.user.id, 2);
  const needed = [fileOf(0, 0), fileOf(0, FILES_A_RELEASE - 1), fileOf(1, 7), ...lists.keys()];
  const garbage = Array.from({ length: 1_000 }, (_, number) => hashOf(`garbage ${number}`));
  const chosen: string[] = [];
  const store: ArtifactStore = {
    ...app.providers.store,
    readWhole: async (manifestHash) => listOf(lists.get(manifestHash) ?? -1),
    collect: async ({ choose }) => {
      const gone = await choose([...needed, ...garbage]);
      chosen.push(...gone);
      return { artifacts: gone.size, sizeBytes: gone.size };
    },
  };
  const { signal } = new AbortController();
  const collected = await collectGarbage({ ...app.providers, store }, signal, { filterBytesMax: 32 * 1024 });
  expect(chosen.filter((sha256) => !garbage.includes(sha256))).toEqual([]);
  expect(chosen.length).toBeGreaterThan(980);
  expect(collected).toEqual({ artifacts: chosen.length, sizeBytes: chosen.length });
  const found = lines.find(({ message }) => message === 'Looking for files that nothing needs');
  expect(found?.names).toBeGreaterThanOrEqual(2 * FILES_A_RELEASE);
  expect(found?.passes).toBe(Math.ceil((Number(found?.names) * 16) / (32 * 1024 * 8)));
}, 60_000);
