import { expect, test } from 'vitest';
import { NO_ACCOUNT } from '../../../server/database/models/account-scope.ts';
import { ChallengeRecordModel } from '../../../server/database/models/domains/challenge-record.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { HOUR_MS } from '../../../server/lib/durations.ts';
import type { Egress } from '../../../server/lib/egress/egress.ts';
import { enqueueJob } from '../../../server/queue/queue.ts';
import { ZONE } from '../../support/certified-world.ts';
import { createDnsChallengeWorld, leaveTwo } from '../../support/dns-challenge-world.ts';
import { holdTimeouts, never } from '../../support/held-timeouts.ts';

const LEFT_MS = 15_000;

test('what one account has left at a silent provider keeps no other waiting, and is tried ever more seldom', async () => {
  await using world = await createDnsChallengeWorld();
  const { providers, clock } = world.app;
  const people = [await world.person(), await world.person([`other.${ZONE}`])];
  for (const person of people) await leaveTwo(person);
  const run = async () => {
    const job = { name: 'remove-challenges' as const, payload: {}, accountId: NO_ACCOUNT };
    await transaction((session) => enqueueJob(session, job));
    await world.app.jobs.drain();
  };
  const { egress } = providers;
  using timeouts = holdTimeouts(LEFT_MS);
  let silences = 0;
  // The first server that is asked stays silent.
  const request: Egress['request'] = (url, asked, read) => {
    if (silences > 0) return egress.request(url, asked, read);
    silences += 1;
    const answer = never(asked.signal);
    timeouts.end();
    return answer;
  };
  Object.assign(providers, { egress: { request } });
  const startedAt = clock.now().getTime();
  await run();
  const read = () =>
    ChallengeRecordModel.find({ accountId: { $in: people.map(({ user }) => user.id) } }).sort({ _id: 1 });
  const [one, two, ...others] = await read();
  expect(others).toEqual([]);
  expect([one?.certificateId, two?.certificateId, two?.accountId]).toEqual(['one', 'two', one?.accountId]);
  // It stands behind all others, and has not failed.
  expect(two?.neededUntil.getTime()).toBeGreaterThan(startedAt);
  expect(two?.failures).toBeUndefined();

  const waits: number[] = [];
  Object.assign(providers, { egress: { request: () => Promise.reject(new TypeError('broken')) } });
  for (let tries = 0; tries < 6; tries += 1) {
    await ChallengeRecordModel.updateMany({ accountId: one?.accountId ?? '' }, { neededUntil: new Date(0) });
    const before = clock.now().getTime();
    await run();
    const left = (await read())[1];
    waits.push(Math.floor(((left?.neededUntil.getTime() ?? 0) - before) / HOUR_MS));
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 24]);
});
