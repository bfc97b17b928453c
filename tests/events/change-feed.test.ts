import mongoose, { mongo } from 'mongoose';
import { expect, test, vi } from 'vitest';
import { type ChangeFeed, createChangeFeed } from '../../server/database/change-feed.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { PublicationModel } from '../../server/database/models/publishing/publication.ts';
import { newId } from '../../server/database/mongo.ts';
import { openEventReader } from '../../server/events/stream.ts';
import type { Log } from '../../server/lib/log.ts';
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

/** Returns how many queries the server has answered from this collection; this query counts from the next call on. */
async function readsOf(collection: string): Promise<number> {
  const [stats] = await database()
    .collection(collection)
    .aggregate([{ $collStats: { latencyStats: {} } }])
    .toArray();
  return Number(stats?.latencyStats.reads.ops);
}

async function moveStep(accountId: string): Promise<void> {
  const _id = newId();
  const ids = { accountId, deploymentId: newId(), releaseId: newId(), destinationId: newId() };
  await PublicationModel.create([{ _id, ...ids, platform: 'built-in' }]);
  for (let done = 1; done <= 5; done += 1)
    await PublicationModel.updateOne({ _id, accountId }, { $set: { 'steps.uploading.done': done } });
}

test('a step of an account that nobody listens to here is not read, one of a listener is', async () => {
  await using app = await createTestApp();
  const [here, elsewhere] = [await app.person(), await app.person()];
  const feed = createChangeFeed(SILENT);
  await feed.start();
  const reader = openEventReader(feed, here.user.id);
  try {
    const before = await readsOf('publications');
    await moveStep(elsewhere.user.id);
    await allIsPassedOn(here, feed);
    expect(await readsOf('publications')).toBe(before + 1);
    await moveStep(here.user.id);
    await expect.poll(() => reader.takeSteps().at(-1)?.done).toBe(5);
  } finally {
    reader.close();
    await feed.stop();
  }
});

/** Counts the changes that the feed passes on while `write` runs, and whatever was written before it. */
async function passedOn(
  collection: 'domains' | 'events',
  person: Person,
  write: () => Promise<unknown>,
): Promise<string[]> {
  const feed = createChangeFeed(SILENT);
  await feed.start();
  const seen: string[] = [];
  feed.subscribe([collection], {
    onChange: ({ operation }) => seen.push(operation),
    onReopened: () => undefined,
  });
  try {
    await write();
    await allIsPassedOn(person, feed);
  } finally {
    await feed.stop();
  }
  return seen;
}

const leaving = {
  deploymentId: newId(),
  destinationId: newId(),
  platform: 'built-in',
  names: ['a.test'],
  isEnding: false,
};

test.each<[string, Record<string, unknown>, number]>([
  ['what a check has seen', { $set: { checkedAt: new Date(), problem: null, records: [] } }, 0],
  ['a field that goes', { $unset: { checkedAt: '' } }, 0],
  ['its deployment', { $set: { deploymentId: newId(), checkedAt: new Date() } }, 1],
  ['the name that serves', { $set: { servedName: 'www.a.test' } }, 1],
  ['a name more', { $push: { heldNames: 'www.a.test' } }, 1],
  ['a name less', { $pop: { heldNames: 1 } }, 1],
  ['a place that it leaves', { $set: { 'leaving.0.isEnding': true } }, 1],
  ['no place that it leaves', { $set: { leaving: [] } }, 1],
  ['a held name that was never there', { $unset: { heldNames: '' } }, 1],
])('of a domain the host is told what it serves by alone: %s', async (_, update, count) => {
  await using app = await createTestApp();
  const person = await app.person();
  const accountId = person.user.id;
  const _id = newId();
  await DomainModel.create({
    ...{
      _id,
      accountId,
      deploymentId: newId(),
      name: 'a.test',
      counterpart: null,
      unit: 'a.test',
      servedName: 'a.test',
    },
    ...{ state: 'active', heldNames: ['a.test'], provedAt: new Date(), nextCheckAt: new Date(), quickFrom: new Date() },
    ...{ proof: { name: '_fairlead.a.test', value: newId() }, checkedAt: new Date(0), leaving: [leaving] },
  });
  const seen = await passedOn('domains', person, () =>
    database().collection<{ _id: string }>('domains').updateOne({ _id }, update),
  );
  await DomainModel.deleteOne({ _id, accountId });
  expect(seen).toEqual(Array.from({ length: count }, () => 'update'));
});

test('an event that ends by its age wakes nobody', async () => {
  await using app = await createTestApp();
  const person = await app.person();
  await person.caller.events.sendTest({ message: 'old' });
  const seen = await passedOn('events', person, () =>
    EventModel.deleteMany({ accountId: person.user.id }).setOptions(MAINTENANCE),
  );
  expect(seen).toEqual(['insert']);
});
