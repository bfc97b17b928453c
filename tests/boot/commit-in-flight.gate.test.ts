import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { UserModel } from '../../server/database/models/account/user.ts';
import { connectMongo, endWhenAway, newId, transaction } from '../../server/database/mongo.ts';
import { countLooks } from '../support/looks-at-database.ts';
import { type OwnMongod, startOwnMongod } from '../support/own-mongod.ts';

let mongod: OwnMongod;
let databaseName = '';

beforeAll(async () => {
  databaseName = mongoose.connection.name;
  mongod = await startOwnMongod();
  await mongoose.disconnect();
  await connectMongo(mongod.uri);
  await UserModel.createCollection();
});

afterAll(async () => {
  await mongoose.disconnect();
  await mongod[Symbol.asyncDispose]();
  await connectMongo(inject('mongoUri'), { databaseName });
});

/** Has this happen to the database at the moment when the next commit is sent. */
function atNextCommit(happen: () => Promise<void>): void {
  const { prototype } = mongoose.mongo.ClientSession;
  const { commitTransaction } = prototype;
  vi.spyOn(prototype, 'commitTransaction').mockImplementationOnce(async function (this: mongoose.mongo.ClientSession) {
    await happen();
    return commitTransaction.call(this);
  });
}

/** A call and its transaction look each for themselves. */
const WATCHES = 2;

/** Resolves once they have found the database away, which ends a call that has sent no commit. */
async function untilFoundAway(looks: () => number): Promise<void> {
  const before = looks();
  await vi.waitFor(() => expect(looks()).toBeGreaterThanOrEqual(before + WATCHES));
}

/** Creates a user as a procedure does; answers whether the call was refused, and whether the user is there afterwards. */
async function createUser(afterwards = (): void => undefined): Promise<{ isRefused: boolean; isThere: boolean }> {
  const _id = newId();
  const user = { _id, username: _id, usernameKey: _id, email: _id, emailKey: _id, passwordHash: 'x' };
  const isRefused = await endWhenAway(() => transaction((session) => UserModel.create([user], { session }))).then(
    () => false,
    () => true,
  );
  afterwards();
  const isThere = async (): Promise<boolean> => (await UserModel.findById(_id).lean()) !== null;
  return { isRefused, isThere: await vi.waitFor(isThere, { timeout: 60_000, interval: 200 }) };
}

test('a call whose commit the database has received and not answered ends as the commit does', async () => {
  const looks = countLooks();
  let letGo = Promise.resolve();
  atNextCommit(async () => {
    const goOn = await mongod.hold();
    letGo = untilFoundAway(looks).then(goOn);
  });
  expect(await createUser()).toEqual({ isRefused: false, isThere: true });
  await letGo;
});

test('a call whose commit is lost with the database ends as what the next start of it finds', async () => {
  const looks = countLooks();
  let restarted = Promise.resolve();
  atNextCommit(async () => {
    await mongod.kill();
    // The call is not ended meanwhile: its commit was sent.
    restarted = untilFoundAway(looks).then(() => mongod.restart());
  });
  const { isRefused, isThere } = await createUser();
  await restarted;
  expect(isThere).toBe(!isRefused);
});

test('a call that has sent no commit is refused soon, and nothing of it is done later', async () => {
  const goOn = await mongod.hold();
  const { isRefused, isThere } = await createUser(goOn);
  expect([isRefused, isThere]).toEqual([true, false]);
});
