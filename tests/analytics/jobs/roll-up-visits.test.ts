import { expect, test } from 'vitest';
import { sumOfNames } from '../../../server/analytics/counts.ts';
import { forgetVisitors, rollUpVisits } from '../../../server/analytics/index.ts';
import { bytesOf } from '../../../server/analytics/roll-up.ts';
import { OTHER, VisitModel } from '../../../server/database/models/analytics/visit.ts';
import { VisitDayModel } from '../../../server/database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../../../server/database/models/analytics/visit-hour.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createTestApp, type Person } from '../../support/app.ts';
import { visitorHash, visitRow, writeVisits } from '../../support/visit-rows.ts';

const NEVER = new AbortController().signal;
const NOW = new Date('2026-11-25T12:30:30Z');

async function ownerOf(person: Person, name = 'Counted') {
  const { id } = await person.caller.deployments.create({ name, platform: 'built-in' });
  return { accountId: person.user.id, deploymentId: id };
}

const hoursOf = (owner: { accountId: string }) => VisitHourModel.find(owner).sort({ at: 1 }).lean();

test('rows of several processes add up to hours, and a visitor counts once a day', async () => {
  await using app = await createTestApp();
  const owner = await ownerOf(await app.trialPerson());
  const [ada, bea, cyd] = ['ada', 'bea', 'cyd'].map(visitorHash);
  if (ada === undefined || bea === undefined || cyd === undefined) throw new Error('There are three.');
  await writeVisits([
    visitRow(owner, '2026-11-25T10:00:00Z', { visitors: [ada] }),
    visitRow(owner, '2026-11-25T10:00:00Z', {
      visitors: [ada, bea],
      bots: 1,
      referrers: [{ host: 'a.test', views: 1 }],
    }),
    visitRow(owner, '2026-11-25T11:59:00Z', { visitors: [bea, cyd], pages: [{ path: '/a', views: 1 }] }),
    visitRow(owner, '2026-11-26T00:00:00Z', { visitors: [ada] }),
    visitRow(owner, '2026-11-25T12:30:00Z', { visitors: [visitorHash('in the minute that runs')] }),
  ]);

  await rollUpVisits(NOW, NEVER, transaction);

  const hours = await hoursOf(owner);
  expect(hours.map(({ at, requests, bots, visitors }) => [at.toISOString(), requests, bots, visitors])).toEqual([
    ['2026-11-25T10:00:00.000Z', 2, 1, 2],
    ['2026-11-25T11:00:00.000Z', 1, 0, 1],
  ]);
  expect(hours[0]).toMatchObject({ referrers: [{ host: 'a.test', views: 1 }], pages: [{ path: '/', views: 2 }] });
  expect(await VisitModel.countDocuments(owner)).toBe(2);
  const [day] = await VisitDayModel.find(owner).lean();
  expect(day?.pages.map(({ path, views }) => [path, views])).toEqual([
    ['/', 2],
    ['/a', 1],
  ]);

  const later = new Date('2026-11-27T12:00:00Z');
  await rollUpVisits(later, NEVER, transaction);
  expect((await hoursOf(owner)).map(({ visitors }) => visitors)).toEqual([2, 1, 1, 1]);
  await forgetVisitors(later);
  expect(await VisitDayModel.countDocuments({ ...owner, seen: { $ne: null } })).toBe(0);
});

test('thousands of visitors a day are counted within five percent, in a day of a fixed size', async () => {
  await using app = await createTestApp();
  const owner = await ownerOf(await app.trialPerson());
  const crowd = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => visitorHash(String(from + n)));
  await writeVisits([
    visitRow(owner, '2026-11-25T09:00:00Z', { visitors: crowd(0, 400) }),
    visitRow(owner, '2026-11-25T10:00:00Z', { visitors: crowd(0, 4_000) }),
    visitRow(owner, '2026-11-25T11:00:00Z', { visitors: crowd(3_000, 5_000) }),
  ]);
  await rollUpVisits(NOW, NEVER, transaction);
  const visitors = (await hoursOf(owner)).map((hour) => hour.visitors);
  expect(visitors[0]).toBe(400);
  const all = visitors.reduce((sum, one) => sum + one, 0);
  expect(all).toSatisfy((count: number) => Math.abs(count - 5_000) < 250);
  const [day] = await VisitDayModel.find(owner).lean();
  expect(bytesOf(day?.seen)?.length).toBe(4_096);
});

test('a roll-up that ends half-way, and two at once, count nothing twice', async () => {
  await using app = await createTestApp();
  const owner = await ownerOf(await app.trialPerson());
  await writeVisits(
    Array.from({ length: 150 }, (_, n) =>
      visitRow(owner, '2026-11-25T10:00:00Z', { visitors: [visitorHash(String(n % 10))] }),
    ),
  );
  let runs = 0;
  const ended = rollUpVisits(NOW, NEVER, (work) =>
    transaction(async (session) => {
      const result = await work(session);
      runs += 1;
      if (runs > 1) throw new Error('The process ended.');
      return result;
    }),
  );
  await expect(ended).rejects.toThrow('The process ended.');
  const halfWay = await hoursOf(owner);
  expect((halfWay[0]?.requests ?? 0) + (await VisitModel.countDocuments(owner))).toBe(150);

  await Promise.all([rollUpVisits(NOW, NEVER, transaction), rollUpVisits(NOW, NEVER, transaction)]);
  const [hour] = await hoursOf(owner);
  expect([hour?.requests, hour?.bytes, hour?.visitors]).toEqual([150, 15_000, 10]);
  expect(await VisitModel.countDocuments(owner)).toBe(0);
});

test('of very many paths and referrers a hundred and fifty have names, and the others are one', async () => {
  await using app = await createTestApp();
  const owner = await ownerOf(await app.trialPerson());
  const rows = Array.from({ length: 12 }, (_, row) =>
    visitRow(owner, '2026-11-25T10:00:00Z', {
      views: 100,
      pages: Array.from({ length: 100 }, (_page, n) => ({ path: `/${row}/${n}`, views: row === 3 ? 2 : 1 })),
      referrers: Array.from({ length: 50 }, (_host, n) => ({ host: `${row}-${n}.test`, views: 1 })),
    }),
  );
  await writeVisits(rows);
  await rollUpVisits(NOW, NEVER, transaction);
  const [hour] = await hoursOf(owner);
  const [day] = await VisitDayModel.find(owner).lean();
  for (const counted of [hour, day]) {
    expect([counted?.pages.length, counted?.referrers.length]).toEqual([101, 51]);
    expect(counted?.pages[0]?.path).toMatch(/^\/3\//);
    expect(counted?.pages.at(-1)).toMatchObject({ path: OTHER, views: 1_100 });
    expect(counted?.referrers.at(-1)).toMatchObject({ host: OTHER, views: 550 });
  }
});

test('long names take no more room than those of an ordinary site', () => {
  const pages = Array.from({ length: 100 }, (_, n) => ({ path: `/${n}`.padEnd(300, 'x'), views: 1 }));
  const sum = sumOfNames([{ pages, referrers: [] }]).pages;
  expect([sum.length, sum.at(-1)]).toEqual([34, { path: OTHER, views: 67 }]);
});

test('what was counted of a deployment that is gone, or going, is dropped, and goes with it', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const owner = await ownerOf(person);
  await writeVisits([visitRow(owner, '2026-11-25T10:00:00Z')]);
  await rollUpVisits(NOW, NEVER, transaction);
  await person.caller.deployments.remove({ deploymentId: owner.deploymentId });
  await writeVisits([visitRow(owner, '2026-11-25T10:01:00Z')]);
  await rollUpVisits(NOW, NEVER, transaction);
  expect(await VisitModel.countDocuments(owner)).toBe(0);
  expect((await hoursOf(owner)).map(({ requests }) => requests)).toEqual([1]);
  await app.jobs.drain();
  expect([await VisitHourModel.countDocuments(owner), await VisitDayModel.countDocuments(owner)]).toEqual([0, 0]);
});

test('the background adds up by itself', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const owner = await ownerOf(person);
  const at = new Date(app.clock.now().getTime() - 2 * 3_600_000);
  await writeVisits([visitRow(owner, at.toISOString())]);
  await enqueueDue(new Date(), 0);
  await app.jobs.drain();
  expect((await hoursOf(owner)).length).toBe(1);
});
