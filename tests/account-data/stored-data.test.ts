import { readdir } from 'node:fs/promises';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { COOKIES } from '../../routers/cookie-jar.ts';
import { DISCLAIMER_SEEN } from '../../routers/schemas/disclaimer.ts';
import { DISCLAIMER_COOKIE_SECONDS } from '../../routers/schemas/limits.ts';
import { EXPORT_README } from '../../server/account-data/export-entries.ts';
import { STORED_COOKIES, STORED_DATA } from '../../src/features/account/stored-data.ts';

const MODELS = new URL('../../server/database/models/', import.meta.url);
const DAY_SECONDS = 86_400;

const EXPORTED = [
  ...['users', 'sessions', 'api_tokens', 'subscriptions', 'payments', 'licenses', 'domains', 'feedback'],
  ...['contact_messages', 'uploads', 'deployments', 'releases', 'publications', 'roll_backs', 'artifacts'],
  ...['visits', 'visit_hours'],
];

/** The texts of an export's README about the collections that it leaves out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  visit_days: 'the daily totals of your visits',
  connections: 'your connections',
  authorization_requests: 'your connections',
  certificates: 'your certificates and their keys',
  challenge_records: 'the DNS records that proved your domains',
  dns_changes: 'the DNS changes',
  diagnostics: 'your diagnostics',
  deployment_health: 'the regular checks of your deployments',
  mailed_tokens: 'mailed links',
  mails: 'the emails to you',
  events: 'the events on your screen',
  held_slugs: 'the addresses that you gave up',
  jobs: 'jobs',
  idempotency_keys: 'requests that were answered',
  payment_events: 'messages of the payment',
  payment_customers: 'customer number at the payment service',
  disclaimer_acceptances: 'the browser in which you accepted the disclaimer',
};

async function collections() {
  for (const file of await readdir(MODELS, { recursive: true })) {
    if (file.endsWith('.ts')) await import(new URL(file, MODELS).href);
  }
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

test('the privacy page names every cookie, and how long it lasts', () => {
  const named = STORED_COOKIES.flatMap(({ names, days }) => names.map((name) => [name, days * DAY_SECONDS]));
  const ours = Object.values(COOKIES).map(({ name, maxAgeSeconds }) => [name, maxAgeSeconds]);
  expect(named.sort()).toEqual([...ours, [DISCLAIMER_SEEN, DISCLAIMER_COOKIE_SECONDS]].sort());
});

test('what names an account goes with it or by its age, and the rest names nobody', async () => {
  for (const { name, isOwned } of await collections()) {
    const { ends } = STORED_DATA.find(({ collections: names }) => names.includes(name)) ?? expect.fail(name);
    if (isOwned) expect(['account', 'age'], name).toContain(ends);
    else expect(['users', 'rate_limits'].includes(name) || ends === 'nobody', name).toBe(true);
  }
});

test('what an account has is in its export, or the README of the export names it as left out', async () => {
  const owned = (await collections()).filter(({ name, isOwned }) => isOwned || name === 'users');
  expect(owned.map(({ name }) => name).sort()).toEqual([...EXPORTED, ...Object.keys(LEFT_OUT)].sort());
  const [, notInHere = ''] = EXPORT_README.split('Not in here:');
  for (const words of Object.values(LEFT_OUT)) expect(notInHere).toContain(words);
});

test.each([
  ['events', '7 days', 7],
  ['mails', '7 days', 7],
  ['jobs', '14 days', 14],
  ['payment_events', '90 days', 90],
  ['visits', '13 months', 396],
  ['mailed_tokens', 'one day', 1],
  ['idempotency_keys', '24 hours', 1],
  ['feedback', 'One year', 365],
  ['contact_messages', 'One year', 365],
] as const)('%s are kept as long as the page says: %s', async (name, words, days) => {
  const { kept } = STORED_DATA.find(({ collections: names }) => names.includes(name)) ?? expect.fail(name);
  expect(kept).toContain(words);
  expect((await collections()).find((one) => one.name === name)?.seconds).toContain(days * DAY_SECONDS);
});
