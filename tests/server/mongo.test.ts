import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { UserModel } from '../../server/models/user.ts';
import { newId, transaction } from '../../server/mongo.ts';

/** Every model there is, so that none is forgotten here. */
import.meta.glob('../../server/models/*.ts', { eager: true });

function newUser(): Record<string, unknown> {
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
  await expect(UserModel.findOne({ isBetaTester: true })).rejects.toThrow(/notablescan/);
});
