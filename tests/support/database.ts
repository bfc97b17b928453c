import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, inject } from 'vitest';
import { buildIndexes, connectMongo } from '../../server/mongo.ts';

/**
 * Every test file has a database of its own, with the indexes of the product, dropped at its end. At the end the file
 * fails when one of its queries was planned badly: a collection scan, a sort in memory, or more documents looked at than
 * 5 times those returned plus 10.
 *
 * A scan that a test makes itself says so: `Model.find({}).comment('test')`.
 */
const name = `t${randomBytes(8).toString('hex')}`;

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
  await connectMongo(inject('mongoUri'), { databaseName: name });
  await buildIndexes();
  await mongoose.connection.db?.command({ profile: 1, filter: SUSPECT });
});

afterAll(async () => {
  const suspects = await readSuspects();
  await mongoose.connection.db?.command({ profile: 0 });
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
  if (suspects.length > 0) throw new Error(`${suspects.length} badly planned operations:\n${suspects.join('\n')}`);
});

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
