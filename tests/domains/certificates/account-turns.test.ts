import { expect, test, vi } from 'vitest';
import { CertificateModel } from '../../../server/database/models/domains/certificate.ts';
import { ChallengeRecordModel } from '../../../server/database/models/domains/challenge-record.ts';
import { takeTurns } from '../../../server/domains/certificates/account-turns.ts';
import { rehearseAll, removeLeftRecords } from '../../../server/domains/certificates/maintenance.ts';
import { MINUTE_MS } from '../../../server/lib/durations.ts';
import { createTestApp } from '../../support/app.ts';
import { holdTimeouts } from '../../support/held-timeouts.ts';

const RUN_MS = 4 * MINUTE_MS;
const { signal } = new AbortController();

/** Lets the time of each run be over when its first turn is. */
function endAfterOneTurn(): Disposable {
  const { timeout } = AbortSignal;
  return vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== RUN_MS) return timeout.call(AbortSignal, ms);
    let looks = 0;
    return Object.defineProperty(new AbortController().signal, 'aborted', {
      get() {
        looks += 1;
        return looks > 1;
      },
    });
  });
}

/** Work that is due at these times, by account; `turns` are those that accounts have had. */
function workOf(due: Record<string, number[]>, doneInATurn: number) {
  const turns: string[] = [];
  const isDue = (at: number, by: Date) => at <= by.getTime();
  return {
    ...{ due, turns },
    async next(by: Date) {
      const waiting = Object.entries(due).flatMap(([account, times]) => times.map((at) => ({ account, at })));
      const [oldest] = waiting.filter(({ at }) => isDue(at, by)).sort((one, other) => one.at - other.at);
      return oldest?.account ?? null;
    },
    async take(account: string) {
      turns.push(account);
      due[account] = (due[account] ?? []).slice(doneInATurn);
    },
    async postpone(account: string, by: Date, until: Date) {
      due[account] = (due[account] ?? []).map((at) => (isDue(at, by) ? until.getTime() : at));
    },
  };
}

test('a run ends after its time, and the next one goes on with who has waited longest', async () => {
  using timeouts = holdTimeouts(RUN_MS);
  const work = workOf({ mallory: [1, 2, 3], ada: [4], bob: [5, 900] }, 1);
  const cut = {
    ...work,
    async take(account: string) {
      await work.take(account);
      if (work.turns.length === 2) timeouts.end();
    },
  };
  await takeTurns(new Date(100), signal, cut);
  expect(work.turns).toEqual(['mallory', 'ada']);
  await takeTurns(new Date(200), signal, work);
  expect(work.turns.slice(2)).toEqual(['bob', 'mallory']);
  expect(work.due).toEqual({ mallory: [201], ada: [], bob: [900] });
});

test('left challenges wait for the next run when the time of one is over, each account in its turn', async () => {
  await using app = await createTestApp();
  const leave = (accountId: string, at: number) =>
    ChallengeRecordModel.create({
      ...{
        _id: `${accountId} ${at}`,
        accountId,
        certificateId: `c${at}`,
        connectionId: 'gone',
        neededUntil: new Date(at),
      },
      ...{ zone: { id: 'z', name: 'z.test', apexAlias: null }, name: '_acme-challenge.z.test', value: 'v' },
    });
  for (let at = 0; at < 150; at += 1) await leave('mallory', at);
  await leave('ada', 1_000);
  const left = (accountId: string) => ChallengeRecordModel.countDocuments({ accountId });
  const { providers } = app;
  using _over = endAfterOneTurn();
  await removeLeftRecords({ providers, signal });
  expect([await left('mallory'), await left('ada')]).toEqual([50, 1]);
  await removeLeftRecords({ providers, signal });
  expect([await left('mallory'), await left('ada')]).toEqual([50, 0]);
  app.clock.advance(MINUTE_MS);
  await removeLeftRecords({ providers, signal });
  expect(await left('mallory')).toBe(0);
});

test('renewals are rehearsed account by account, as many as the time of a run allows', async () => {
  await using app = await createTestApp();
  // What cannot be rehearsed is put off by an hour.
  const register = () => Promise.reject(new TypeError('broken'));
  app.providers.authority = { ...app.providers.authority, isPublic: true, register };
  const add = (accountId: string, at: number) =>
    CertificateModel.create({
      ...{ _id: `${accountId} ${at}`, accountId, domainId: `d${accountId}${at}`, names: [`${at}.${accountId}.test`] },
      ...{ rehearseAt: new Date(at), history: [] },
    });
  for (let at = 0; at < 60; at += 1) await add('eve', at);
  await add('carol', 1_000);
  const due = (accountId: string) =>
    CertificateModel.countDocuments({ accountId, rehearseAt: { $lte: new Date(app.clock.now().getTime() + 1) } });
  using _over = endAfterOneTurn();
  await rehearseAll({ providers: app.providers, signal });
  expect([await due('eve'), await due('carol')]).toEqual([10, 1]);
  await rehearseAll({ providers: app.providers, signal });
  expect([await due('eve'), await due('carol')]).toEqual([10, 0]);
});
