import { readdir } from 'node:fs/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { STORED_DATA } from '../../src/features/account/stored-data.ts';

const MODELS = new URL('../../server/models/', import.meta.url);
const DAY_SECONDS = 86_400;

async function collections() {
  for (const file of await readdir(MODELS)) await import(new URL(file, MODELS).href);
  return Object.values(mongoose.connection.models).map(({ collection, schema }) => ({
    name: collection.name,
    isOwned: schema.path('accountId') !== undefined,
    seconds: schema.indexes().flatMap(([, { expireAfterSeconds = 0 }]) => Number(expireAfterSeconds)),
  }));
}

test('the privacy page names every collection once', async () => {
  const named = STORED_DATA.flatMap(({ collections: names }) => names);
  expect([...named].sort()).toEqual((await collections()).map(({ name }) => name).sort());
});

test('what names an account goes with it or by its age, and the rest names nobody', async () => {
  for (const { name, isOwned } of await collections()) {
    const { ends } = STORED_DATA.find(({ collections: names }) => names.includes(name)) ?? expect.fail(name);
    if (isOwned) expect(['account', 'age'], name).toContain(ends);
    else expect(['users', 'rate_limits'].includes(name) || ends === 'nobody', name).toBe(true);
  }
});

test.each([
  ['events', '7 days', 7],
  ['mails', '7 days', 7],
  ['jobs', '14 days', 14],
  ['payment_events', '90 days', 90],
  ['visits', '13 months', 396],
  ['mailed_tokens', 'one day', 1],
  ['idempotency_keys', '24 hours', 1],
] as const)('%s are kept as long as the page says: %s', async (name, words, days) => {
  const { kept } = STORED_DATA.find(({ collections: names }) => names.includes(name)) ?? expect.fail(name);
  expect(kept).toContain(words);
  expect((await collections()).find((one) => one.name === name)?.seconds).toContain(days * DAY_SECONDS);
});
