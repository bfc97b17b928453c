import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { jsonText } from '../../server/account-data/json-text.ts';
import { FeedbackModel } from '../../server/database/models/account/feedback.ts';
import { createTestApp } from '../support/app.ts';

const ROWS = 30;
const BATCH = 10;

/** More rows of one account than the database gives at once, and a cursor over them. */
async function manyRows() {
  const accountId = randomUUID();
  const common = { accountId, rating: 5, deploymentId: 'main-app', at: new Date() };
  const comments = Array.from({ length: ROWS }, (_, n) => `row ${n}`);
  await FeedbackModel.insertMany(comments.map((comment) => ({ _id: randomUUID(), comment, ...common })));
  return FeedbackModel.find({ accountId }, { _id: 0, comment: 1 }).lean().cursor({ batchSize: BATCH });
}

test('rows of a cursor become a list, whole', async () => {
  await using _app = await createTestApp();
  const parsed = JSON.parse(await text(jsonText({ name: 'kept', rows: await manyRows(), none: [] })));
  expect(parsed).toMatchObject({ name: 'kept', none: [] });
  expect(parsed.rows).toHaveLength(ROWS);
});

test('a reader that goes away leaves no cursor open', async () => {
  await using _app = await createTestApp();
  const cursor = await manyRows();
  let read = 0;
  for await (const part of jsonText({ rows: cursor })) {
    if (part.includes('row ')) read += 1;
    if (read === 2) break;
  }
  expect(read).toBe(2);
  await expect(cursor.next()).rejects.toThrow('closed cursor');
});
