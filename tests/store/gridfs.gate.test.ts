import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { newId } from '../../server/database/mongo.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createGridStore } from '../../server/store/gridfs/gridfs.ts';
import type { StoreClock } from '../../server/store/store.ts';
import { infoOf, manyBytes, type StoreUnderTest, sha256Of, storeSuite } from '../support/store-suite.ts';

const TWO_HOURS_AGO = new Date(Date.now() - 2 * 60 * 60_000);
const TWO_DAYS_AGO = new Date(Date.now() - 48 * 60 * 60_000);
const MIB = 1024 * 1024;
/** Queries of the test itself need no index. */
const WATCHED = { comment: 'test' };

function collection(name: string) {
  const { db } = mongoose.connection;
  if (db === undefined) throw new Error('There is no database.');
  return db.collection(name);
}

async function makeGrid(now?: StoreClock): Promise<StoreUnderTest & { files: string; chunks: string }> {
  const bucket = `store_${newId()}`;
  const [files, chunks] = [`${bucket}.files`, `${bucket}.chunks`];
  const options = { minFreeBytes: 0, rateCounters: createRateCounters(), bucket, ...(now !== undefined && { now }) };
  const firstChunk = async (sha256: string) => {
    const file = await collection(files).findOne({ filename: sha256, 'metadata.state': 'whole' });
    const chunk = await collection(chunks).findOne({ files_id: file?._id, n: 0 });
    if (chunk === null) throw new Error('This artifact has no bytes.');
    return { id: chunk._id, bytes: Buffer.from(chunk.data.buffer) };
  };
  return {
    files,
    chunks,
    store: await createGridStore(options),
    reopen: () => createGridStore(options),
    corrupt: async (sha256) => {
      const { id, bytes } = await firstChunk(sha256);
      bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10);
      await collection(chunks).updateOne({ _id: id }, { $set: { data: bytes } });
    },
    shorten: async (sha256) => {
      const { id, bytes } = await firstChunk(sha256);
      await collection(chunks).updateOne({ _id: id }, { $set: { data: bytes.subarray(0, -1) } });
    },
    leaveBehind: async () => {
      const left = { filename: 'a'.repeat(64), length: 9, metadata: { state: 'unfinished', intake: null } };
      const { insertedId } = await collection(files).insertOne({ ...left, uploadDate: TWO_HOURS_AGO });
      await collection(chunks).insertOne({ files_id: insertedId, n: 0, data: Buffer.from('half') });
      await collection(files).insertOne({ ...left, uploadDate: new Date() });
      return 1;
    },
    grow: async () => void (await collection(files).updateMany({}, { $set: { uploadDate: TWO_DAYS_AGO } }, WATCHED)),
    [Symbol.asyncDispose]: async () => {
      await collection(files).drop();
      await collection(chunks).drop();
    },
  };
}

storeSuite('gridfs', makeGrid);

test('a file of several chunks is read from any place to any other', async () => {
  await using place = await makeGrid();
  const bytes = randomBytes(3 * MIB + 5);
  const { sha256 } = await place.store.writeWhole(bytes);
  const artifact = await place.store.open(sha256);
  for (const [start, end] of [
    [0, 1],
    [MIB - 1, MIB + 1],
    [MIB, 2 * MIB],
    [10, 3 * MIB + 5],
    [3 * MIB, 4 * MIB],
  ] as const) {
    expect((await artifact.read(start, end)).equals(bytes.subarray(start, end))).toBe(true);
  }
});

test('a chunk that is lost after the file was read once is corruption, never other bytes', async () => {
  await using place = await makeGrid();
  const bytes = randomBytes(3 * MIB);
  const { sha256 } = await place.store.writeWhole(bytes);
  const artifact = await place.store.open(sha256);
  await collection(place.chunks).deleteOne({
    files_id: (await collection(place.files).findOne({ filename: sha256, 'metadata.state': 'whole' }))?._id,
    n: 2,
  });
  expect((await artifact.read(0, MIB)).equals(bytes.subarray(0, MIB))).toBe(true);
  await expect(artifact.read(MIB, 3 * MIB)).rejects.toMatchObject({ code: 'artifact_corrupted' });
  await expect((await place.reopen()).open(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
});

test('what was removed keeps its bytes for an hour, for those who read it, and then they go', async () => {
  await using place = await makeGrid();
  const bytes = randomBytes(2 * MIB);
  const { sha256 } = await place.store.writeWhole(bytes);
  const artifact = await place.store.open(sha256);
  await place.store.remove(sha256);
  await place.store.sweep();
  expect((await artifact.read(0, 2 * MIB)).equals(bytes)).toBe(true);
  await place.grow();
  await place.store.sweep();
  expect(await collection(place.chunks).countDocuments({}, WATCHED)).toBe(0);
  expect(await collection(place.files).countDocuments({}, WATCHED)).toBe(0);
});

test('two intakes of the same files at once leave each file once', async () => {
  await using place = await makeGrid();
  const all = manyBytes(50, 40_000);
  const intakes = await Promise.all([place.store.intake(), place.store.intake(), place.store.intake()]);
  await Promise.all(
    intakes.map(async (intake) => {
      for (const bytes of all) await intake.add(bytes, infoOf(bytes));
    }),
  );
  await Promise.all(intakes.map((intake) => intake.commit()));
  for (const bytes of all) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  expect(await collection(place.files).countDocuments({}, WATCHED)).toBe(50);
  expect(await collection(place.chunks).countDocuments({}, WATCHED)).toBe(50);
});

test('a failed write leaves neither a row nor bytes', async () => {
  await using place = await makeGrid();
  async function* broken(): AsyncGenerator<Buffer> {
    yield randomBytes(2 * MIB);
    throw new Error('the line went dead');
  }
  await expect(place.store.write(broken(), { sha256: '0'.repeat(64), sizeBytes: 3 * MIB })).rejects.toThrow('dead');
  expect(await collection(place.files).countDocuments({}, WATCHED)).toBe(0);
  expect(await collection(place.chunks).countDocuments({}, WATCHED)).toBe(0);
});

test('when the disk of the database is full, writes say so and reads go on', async () => {
  await using place = await makeGrid();
  const { sha256 } = await place.store.writeWhole(Buffer.from('before'));
  const bucket = place.files.replace('.files', '');
  const tight = await createGridStore({
    minFreeBytes: Number.MAX_SAFE_INTEGER,
    bucket,
    rateCounters: createRateCounters(),
  });
  await expect(tight.writeWhole(Buffer.from('after'))).rejects.toMatchObject({ code: 'storage_full', status: 507 });
  const intake = await tight.intake();
  await intake.add(Buffer.from('after'), infoOf(Buffer.from('after')));
  await expect(intake.commit()).rejects.toMatchObject({ code: 'storage_full' });
  await intake.abandon();
  expect((await tight.readWhole(sha256)).toString()).toBe('before');
  expect(await collection(place.files).countDocuments({}, WATCHED)).toBe(1);
});

test('a write that the database has no room for is refused, and the operator told of it', async () => {
  await using place = await makeGrid();
  const told: unknown[] = [];
  const store = await createGridStore({
    minFreeBytes: 0,
    bucket: place.chunks.replace('.chunks', ''),
    rateCounters: createRateCounters(),
    onDiskFull: ({ disk }) => told.push(disk),
  });
  const { db } = mongoose.connection;
  const admin = mongoose.connection.getClient().db('admin');
  const failInserts = (mode: unknown) =>
    admin.command({
      configureFailPoint: 'failCommand',
      mode,
      // MongoDB's error_codes.yml: OutOfDiskSpace.
      data: { failCommands: ['insert'], errorCode: 14_031, namespace: `${db?.databaseName}.${place.chunks}` },
    });
  await failInserts('alwaysOn');
  try {
    await expect(store.writeWhole(Buffer.from('after'))).rejects.toMatchObject({ code: 'storage_full', status: 507 });
    expect(told).toEqual(['the database']);
  } finally {
    await failInserts('off');
  }
});

test('an intake looks at its own files alone, whatever plan the intakes before it left', async () => {
  await using place = await makeGrid();
  const waiting = await place.store.intake();
  const commitOf = async (files: readonly Buffer[]) => {
    const intake = await place.store.intake();
    for (const bytes of files) await intake.add(bytes, infoOf(bytes));
    await intake.commit();
  };
  // The profile of the database refuses a plan that reads much more than it finds (support/database.ts).
  for (const size of [1_000, 2_000]) await commitOf(manyBytes(3, size));
  for (const bytes of manyBytes(30, 40_000)) await waiting.add(bytes, infoOf(bytes));
  await commitOf([]);
  await waiting.abandon();
  expect(await collection(place.files).countDocuments({}, WATCHED)).toBe(6);
});
