import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ask, askOnce, type DnsVendor } from '../../../server/dns/providers/http.ts';
import { createTransport } from '../../../server/domains/certificates/authority/acme/transport.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { makeOnce, type Vendor } from '../../../server/publishing/platforms/http.ts';
import { createSignIn } from '../../../server/publishing/platforms/oauth.ts';
import { fillAnswerBudget } from '../../support/full-budget.ts';
import { testEgress } from '../../support/platforms.ts';
import { startWithholding } from '../../support/withholding-provider.ts';

/** An answer may have half a megabyte, so that thirty-two fill half of the budget. */
const LONG = 512 * 1024 - 100;
const versionSchema = z.object({ version: z.string() });

/** Asks this many times at once; `refused` are noted as they come, and `end` gives all up. */
function askMany(url: string, count: number) {
  const ends = new AbortController();
  setMaxListeners(count, ends.signal);
  const call = { egress: testEgress(), signal: ends.signal, wait: async () => undefined, now: () => new Date() };
  const vendor: DnsVendor = { title: 'Theirs', apiUrl: url, words: () => null };
  const refused: unknown[] = [];
  const note = (error: unknown) => refused.push(error instanceof AppError ? error.code : 'ended');
  const askThem = () => askOnce({ ...call, credentials: { token: 'theirs' } }, vendor, { url: '/' }, versionSchema);
  const all = Promise.all(Array.from({ length: count }, () => askThem().catch(note)));
  return { all, refused, ask: askThem, end: () => ends.abort(new Error('given up')) };
}

test('long answers that do not end take half of the room, and short ones are read meanwhile', async () => {
  await using withholding = await startWithholding(LONG);
  await using honest = await startWithholding(1);
  honest.letGo(200);
  const asking = askMany(withholding.url, 45);
  await expect.poll(() => asking.refused.length).toBe(13);
  expect(new Set(asking.refused)).toEqual(new Set(['overloaded']));
  expect(await askMany(honest.url, 0).ask()).toEqual({ version: 'x' });

  asking.end();
  await asking.all;
  expect(asking.refused.slice(13)).toEqual(Array.from({ length: 32 }, () => 'ended'));
  withholding.letGo(200);
  // All of it was read; of a text as much is kept as any may have.
  expect(await askMany(withholding.url, 0).ask()).toEqual({ version: `${'x'.repeat(64 * 1024)}…` });
});

test('who finds no room waits for it and asks again, and makes nothing twice', async () => {
  await using honest = await startWithholding(1);
  honest.letGo(200);
  const { now, egress, signal } = { now: () => new Date(), egress: testEgress(), signal: new AbortController().signal };
  const waits: number[] = [];
  const untilRoom = (full: AsyncDisposable) => async (ms: number) => {
    waits.push(ms);
    await full[Symbol.asyncDispose]();
  };
  const ofDns = { egress, signal, now, credentials: { token: 'theirs' }, wait: untilRoom(await fillAnswerBudget()) };
  const dns: DnsVendor = { title: 'Theirs', apiUrl: honest.url, words: () => null };
  expect(await ask(ofDns, dns, { url: '/' }, versionSchema)).toEqual({ version: 'x' });

  const credentials = { tokenOf: async () => 'theirs', refused: async () => undefined };
  const hosting: Vendor = { id: 'netlify', title: 'Theirs', apiUrl: honest.url, words: () => null };
  const looks: boolean[] = [];
  const look = async (mayBeMade: boolean) => {
    looks.push(mayBeMade);
    return mayBeMade ? { version: 'made' } : null;
  };
  const making = { look, request: { url: '/' }, shape: versionSchema };
  const ofHosting = { egress, signal, now, credentials, wait: untilRoom(await fillAnswerBudget()) };
  expect(await makeOnce(ofHosting, hosting, making)).toEqual({ version: 'made' });
  expect(looks).toEqual([false, true]);
  expect(waits.every((ms) => ms >= 5_000)).toBe(true);
  expect(waits).toHaveLength(2);
});

test('a sign-in and an authority are read within the same room', async () => {
  await using honest = await startWithholding(1);
  honest.letGo(200);
  await using _full = await fillAnswerBudget();
  const asking = { egress: testEgress(), signal: new AbortController().signal, now: () => new Date() };
  const endpoints = { authorize: honest.url, token: honest.url };
  const { netlify } = createSignIn({ netlify: { provider: 'netlify', id: 'ours', secret: 'ours', endpoints } });
  await expect(netlify?.refresh(asking, 'theirs')).rejects.toMatchObject({ code: 'overloaded' });
  const transport = createTransport({ ...asking, directoryUrl: honest.url });
  await expect(transport.directory(asking.signal)).rejects.toMatchObject({ code: 'overloaded' });
});
