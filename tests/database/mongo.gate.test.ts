import mongoose from 'mongoose';
import { expect, inject, test, vi } from 'vitest';
import { prepareIndexes } from '../../server/boot/installation.ts';
import { UserModel } from '../../server/database/models/account/user.ts';
import { EventModel } from '../../server/database/models/event.ts';
import {
  buildIndexes,
  connectMongo,
  endWhenAway,
  newId,
  transaction,
  translateDatabaseError,
  unsupportedReason,
} from '../../server/database/mongo.ts';
import { countLooks } from '../support/looks-at-database.ts';
import { refusalOf } from '../support/refusal.ts';

/** Every model there is, so that none is forgotten here. */
import.meta.glob('../../server/database/models/*.ts', { eager: true });

function newUser() {
  const id = newId();
  return {
    _id: id,
    username: id,
    usernameKey: id,
    email: `${id}@example.com`,
    emailKey: `${id}@example.com`,
    passwordHash: 'x',
  };
}

test('every index of every model has a name of its own choosing', async () => {
  const indexes = mongoose.modelNames().flatMap((name) =>
    mongoose
      .model(name)
      .schema.indexes()
      .map(([keys, options]) => ({ name, keys, options })),
  );
  expect(indexes.length).toBeGreaterThan(20);
  expect(indexes.filter(({ options }) => typeof options.name !== 'string')).toEqual([]);
  const built = await UserModel.collection.indexes();
  expect(built.map((index) => index.name).sort()).toEqual(['_id_', 'email_unique', 'username_unique']);
});

test('a start makes missing indexes and drops unknown ones, and makes none again that is there', async () => {
  await EventModel.collection.dropIndex('kept_days');
  await EventModel.collection.createIndex({ type: 1 }, { name: 'of_nobody' });
  const [made, madeOfUsers] = [EventModel, UserModel].map((model) => vi.spyOn(model.collection, 'createIndex'));
  await buildIndexes();
  const built = await EventModel.collection.indexes();
  expect(built.map((index) => index.name).sort()).toEqual(['_id_', 'account_seq', 'kept_days']);
  expect(made).toHaveBeenCalledOnce();
  expect(madeOfUsers).not.toHaveBeenCalled();
});

test('a start waits for the indexes once for each set of them, and later ones bring back what was dropped', async () => {
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const stops: (() => Promise<void>)[] = [];
  const start = () => prepareIndexes(log, (_what, stop) => stops.push(stop), 0);
  const names = async () => (await EventModel.collection.indexes()).map((index) => index.name).sort();
  const wanted = ['_id_', 'account_seq', 'kept_days'];
  await EventModel.collection.dropIndex('kept_days');
  await start();
  expect(await names()).toEqual(wanted);

  const listed = vi.spyOn(UserModel, 'syncIndexes');
  await EventModel.collection.dropIndex('kept_days');
  await start();
  expect(listed).not.toHaveBeenCalled();
  await expect.poll(names).toEqual(wanted);

  await start();
  await stops.at(-1)?.();
  expect(listed).toHaveBeenCalledOnce();
  expect(log.error).not.toHaveBeenCalled();

  // An index that cannot be built is built before anything is served by the next start, which then fails.
  listed.mockRejectedValue(new Error('Two have the same name.'));
  await start();
  await expect.poll(() => log.error.mock.calls.length).toBe(1);
  await stops.at(-1)?.();
  await expect(start()).rejects.toThrow('Two have the same name.');
  listed.mockRestore();
});

test('a filter on a field that the schema lacks throws', async () => {
  await expect(UserModel.findOne({ usernme: 'ada' })).rejects.toThrow(/usernme/);
});

test('a failed transaction takes back what was written without naming the session', async () => {
  const user = newUser();
  await expect(
    transaction(async () => {
      await UserModel.create(user);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await UserModel.findById(user._id)).toBeNull();
});

test('a filter that no index serves is refused', async () => {
  await expect(UserModel.findOne({ betaTesterUntil: null })).rejects.toThrow(/notablescan/);
});

test.each([
  [{ setName: 'rs' }, '6.0.5', null],
  [{ msg: 'isdbgrid' }, '8.0.1', null],
  [{ setName: 'rs' }, '5.0.30', 'is MongoDB 5.0.30, which is older than 6'],
  [{}, '7.0.2', 'is neither a replica set nor a sharded cluster, so it has no transactions'],
])('a server that answers %o as version %s is fit: %s', (hello, version, fault) => {
  expect(unsupportedReason(hello, { version })).toBe(fault);
});

test('what takes its time is waited for while the database answers', async () => {
  const looks = countLooks();
  expect(await endWhenAway(() => vi.waitFor(() => expect(looks()).toBeGreaterThan(2)).then(() => 'late'))).toBe('late');
  await expect(endWhenAway(() => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('a pool that is full is no database that is away', async () => {
  const databaseName = mongoose.connection.name;
  await mongoose.disconnect();
  await connectMongo(`${inject('mongoUri')}&maxPoolSize=1`, { databaseName });
  const holding = mongoose.connection.getClient().db(databaseName).watch([], { maxAwaitTimeMS: 3_200 });
  await holding.tryNext();
  const held = holding.tryNext();

  expect(await endWhenAway(async () => UserModel.findById('nobody'))).toBeNull();

  expect(await held).toBeNull();
  await holding.close();
  await mongoose.disconnect();
  await connectMongo(inject('mongoUri'), { databaseName });
});

test('errors of a database that is away are told apart from errors of ours', async () => {
  const nowhere = mongoose.createConnection('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 50 });
  const away: unknown = await nowhere.asPromise().catch((error: unknown) => error);
  await nowhere.close();
  expect(translateDatabaseError(away)).toMatchObject({
    code: 'database_unavailable',
    retryAfterMs: expect.any(Number),
  });
  expect(translateDatabaseError(new Error('wrapped', { cause: away }))?.code).toBe('database_unavailable');
  const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  expect(translateDatabaseError(ended)).toBeUndefined();
  ended.stack = `${ended.stack}\n    at Connection.writeCommand (/app/node_modules/mongodb/lib/cmap/connection.js:552:35)`;
  expect(translateDatabaseError(ended)?.code).toBe('database_unavailable');
  expect(translateDatabaseError(new Error('ours'))).toBeUndefined();
  const user = newUser();
  await UserModel.create(user);
  const duplicate: unknown = await UserModel.create(user).catch((error: unknown) => error);
  expect(translateDatabaseError(duplicate)).toBeUndefined();
});

test('transactions that get in each other’s way are run again until each has had its turn', async () => {
  const user = newUser();
  await UserModel.create(user);
  await Promise.all(
    Array.from({ length: 10 }, () =>
      transaction(async () => {
        const found = await UserModel.findById(user._id);
        await UserModel.updateOne({ _id: user._id }, { $set: { deploymentCount: (found?.deploymentCount ?? 0) + 1 } });
      }),
    ),
  );
  expect((await UserModel.findById(user._id))?.deploymentCount).toBe(10);
});

test('a transaction that others get in the way of each time is refused as busy, and not as a database that is away', async () => {
  const user = newUser();
  await UserModel.create(user);
  const users = mongoose.connection.collection<{ _id: string }>('users');
  const refused = transaction(async () => {
    await UserModel.findById(user._id);
    // The driver's own call knows no transaction: it is the other who writes in between.
    await users.updateOne({ _id: user._id }, { $inc: { eventSeq: 1 } });
    await UserModel.updateOne({ _id: user._id }, { $inc: { eventSeq: 1 } });
  }, 300);

  expect(await refusalOf(refused)).toMatchObject({ code: 'database_busy', status: 503, retryAfterMs: 2_000 });
});
