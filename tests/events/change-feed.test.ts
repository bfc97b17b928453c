import mongoose, { mongo } from 'mongoose';
import { expect, test, vi } from 'vitest';
import { type ChangeFeed, createChangeFeed } from '../../server/database/change-feed.ts';
import { openEventReader } from '../../server/events/stream.ts';
import type { Log } from '../../server/log.ts';
import { ReleaseStepModel } from '../../server/models/release-step.ts';
import { newId } from '../../server/mongo.ts';
import { createTestApp, type Person } from '../support/app.ts';

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function database(): mongo.Db {
  const { db } = mongoose.connection;
  if (db === undefined) throw new Error('The test has no database.');
  return db;
}

/** Resolves once the feed has passed on everything that was written before. */
function allIsPassedOn({ user, caller }: Person, feed: ChangeFeed): Promise<void> {
  return new Promise((resolve) => {
    const stop = feed.subscribe(['events'], {
      onChange: (change) => {
        if (change.accountId !== user.id) return;
        stop();
        resolve();
      },
      onReopened: () => undefined,
    });
    void caller.events.sendTest({ message: 'the last' });
  });
}

test('bytes of artifacts in the database come to no process by the change feed', async () => {
  await using app = await createTestApp();
  const person = await app.person();
  const watching = vi.spyOn(database(), 'watch');
  const feed = createChangeFeed(SILENT);
  try {
    await feed.start();
    const stream = watching.mock.results[0]?.value;
    if (!(stream instanceof mongo.ChangeStream)) throw new Error('The feed opened no stream.');
    const seen: string[] = [];
    stream.on('change', (change) => seen.push(change.ns.coll));
    await database()
      .collection('store.chunks')
      .insertOne({ n: 0, data: new mongo.Binary(Buffer.alloc(1024 * 1024)) });
    await database().collection('store.files').insertOne({ filename: 'a' });
    await allIsPassedOn(person, feed);
    expect(seen).toContain('events');
    expect(seen.filter((name) => name.startsWith('store.'))).toEqual([]);
  } finally {
    watching.mockRestore();
    await feed.stop();
  }
});

/** How many queries the server has answered from this collection; this one counts from the next on. */
async function readsOf(collection: string): Promise<number> {
  const [stats] = await database()
    .collection(collection)
    .aggregate([{ $collStats: { latencyStats: {} } }])
    .toArray();
  return Number(stats?.latencyStats.reads.ops);
}

async function moveStep(accountId: string): Promise<void> {
  const _id = `${newId()}.uploading`;
  const row = { accountId, deploymentId: newId(), releaseId: newId(), name: 'uploading' as const };
  await ReleaseStepModel.create([{ _id, ...row }]);
  for (let done = 1; done <= 5; done += 1) await ReleaseStepModel.updateOne({ _id, accountId }, { $set: { done } });
}

test('a step of an account that nobody listens to here is not read, one of a listener is', async () => {
  await using app = await createTestApp();
  const [here, elsewhere] = [await app.person(), await app.person()];
  const feed = createChangeFeed(SILENT);
  await feed.start();
  const reader = openEventReader(feed, here.user.id);
  try {
    const before = await readsOf('release_steps');
    await moveStep(elsewhere.user.id);
    await allIsPassedOn(here, feed);
    expect(await readsOf('release_steps')).toBe(before + 1);
    await moveStep(here.user.id);
    await expect.poll(() => reader.takeSteps().at(-1)?.done).toBe(5);
  } finally {
    reader.close();
    await feed.stop();
  }
});
