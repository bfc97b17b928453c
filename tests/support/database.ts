import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { buildIndexes, connectMongo } from '../../server/database/mongo.ts';
import './patient-wait.ts';

/**
 * Every test file has a database to itself, with the indexes of the product: each worker has one, which is emptied at the
 * end of a file, since 40 collections with their indexes take half a second to make and to drop. At the end the file
 * fails when one of its queries was planned badly: a collection scan, a sort in memory, or more documents looked at than
 * 5 times those returned plus 10.
 *
 * A scan that a test makes itself says so: `Model.find({}).comment('test')`.
 */
const name = `tests${process.pid}w${process.env.VITEST_POOL_ID}`;

/** Plans that may scan or sort: where, and why. */
const PERMITTED: readonly { collection: string; op: string; why: string }[] = [
  { collection: 'system.profile', op: 'query', why: 'this check itself' },
];

/** Only what is suspect is written down, so that profiling costs next to nothing (manual: `profile`, `filter`). */
const SUSPECT = {
  $or: [
    { planSummary: { $regex: '^COLLSCAN' } },
    { hasSortStage: true },
    {
      $expr: {
        $gt: [
          '$docsExamined',
          { $add: [10, { $multiply: [5, { $max: ['$nreturned', '$nMatched', '$ndeleted', '$nModified', 0] }] }] },
        ],
      },
    },
  ],
};

beforeAll(async () => {
  if (mongoose.connection.name !== name || mongoose.connection.readyState !== mongoose.ConnectionStates.connected) {
    await mongoose.disconnect();
    await connectMongo(inject('mongoUri'), { databaseName: name });
  }
  if (!(await isBuilt())) await buildIndexes();
  await mongoose.connection.db?.command({ profile: 1, filter: SUSPECT });
});

afterAll(async () => {
  const suspects = await readSuspects();
  await mongoose.connection.db?.command({ profile: 0 });
  await emptyDatabase();
  if (suspects.length > 0) throw new Error(`Badly planned: ${suspects.join('\n')}`);
});

/** A file before this one has left them, unless this one brings models of its own; comparing all indexes takes a while. */
async function isBuilt(): Promise<boolean> {
  const collections = (await mongoose.connection.db?.listCollections({}, { nameOnly: true }).toArray()) ?? [];
  const there = new Set(collections.map((collection) => collection.name));
  return Object.values(mongoose.models).every((model) => there.has(model.collection.name));
}

/** Leaves the collections of the product, empty; others are gone. */
async function emptyDatabase(): Promise<void> {
  const ours = new Set(Object.values(mongoose.models).map((model) => model.collection.name));
  const collections = (await mongoose.connection.db?.collections()) ?? [];
  await Promise.all(
    collections.map(async (collection) => {
      if (ours.has(collection.collectionName)) await collection.deleteMany({});
      else await collection.drop();
    }),
  );
}

async function readSuspects(): Promise<string[]> {
  const entries = (await mongoose.connection.db?.collection('system.profile').find({}).toArray()) ?? [];
  return entries
    .filter((entry) => entry.command?.comment !== 'test' && !isPermitted(String(entry.ns), String(entry.op)))
    .map(
      (entry) =>
        `${entry.op} on ${entry.ns}: ${entry.planSummary}${entry.hasSortStage === true ? ', sorts in memory' : ''}, examined ${entry.docsExamined}, returned ${entry.nreturned ?? entry.nMatched ?? entry.ndeleted ?? 0}: ${JSON.stringify(entry.command?.filter ?? entry.command?.pipeline ?? entry.command?.query ?? entry.command?.q ?? entry.command)}`,
    );
}

function isPermitted(namespace: string, op: string): boolean {
  const collection = namespace.slice(name.length + 1);
  return PERMITTED.some((entry) => entry.collection === collection && entry.op === op);
}
