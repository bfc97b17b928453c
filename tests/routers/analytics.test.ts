import { expect, test } from 'vitest';
import type { VisitsInput } from '../../routers/schemas/analytics.ts';
import { streamEvents } from '../../server/account/event-stream.ts';
import { csvLine } from '../../server/analytics/download.ts';
import { rollUpVisits } from '../../server/analytics/index.ts';
import { timeRange } from '../../server/analytics/time-range.ts';
import { PublicationModel } from '../../server/database/models/publishing/publication.ts';
import { transaction } from '../../server/database/mongo.ts';
import { createTestApp, type Person, type TestApp } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { setPlan } from '../support/plans.ts';
import { contextOf, createPublishingApp, publish } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';
import { visitorHash, visitRow, writeVisits } from '../support/visit-rows.ts';

const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;

async function ownerOf(person: Person, name = 'Counted') {
  const { id } = await person.caller.deployments.create({ name, platform: 'built-in' });
  return { accountId: person.user.id, deploymentId: id };
}

const hoursAgo = (app: TestApp, hours: number) => new Date(app.clock.now().getTime() - hours * HOUR_MS).toISOString();
const rollUp = (app: TestApp) => rollUpVisits(app.clock.now(), NEVER, transaction);

test('visits read the same before and after they are added up, of one deployment and of all', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const [one, two] = [await ownerOf(person), await ownerOf(person, 'Other')];
  const [ada, bea] = [visitorHash('ada'), visitorHash('bea')];
  await writeVisits([
    visitRow(one, hoursAgo(app, 3), {
      ...{ views: 3, requests: 9, bots: 2, visitors: [ada, bea], replies: [0, 0, 5, 0, 4, 0, 0, 0, 0, 0] },
      pages: [
        { path: '/a', views: 2 },
        { path: '', views: 1 },
      ],
      referrers: [
        { host: 'search.test', views: 1 },
        { host: '', views: 1 },
      ],
      statuses: [
        { status: 404, requests: 1 },
        { status: 200, requests: 8 },
      ],
    }),
    visitRow(one, hoursAgo(app, 0), { visitors: [ada] }),
    visitRow(two, hoursAgo(app, 0)),
  ]);
  const { visits } = person.caller.analytics;
  const ofOne = { deploymentId: one.deploymentId, days: 7, timeZone: 'UTC' } as const;
  const before = [await visits(ofOne), await visits({ days: 1, timeZone: 'UTC' })];
  app.clock.advance(60_000);
  await rollUp(app);
  const after = [await visits(ofOne), await visits({ days: 1, timeZone: 'UTC' })];
  expect(after.map((answer) => answer.totals)).toEqual(before.map((answer) => answer.totals));
  const [first, all] = after;
  expect(first).toMatchObject({
    step: 'day',
    pages: [
      { path: '/a', views: 2 },
      { path: '/', views: 1 },
    ],
    otherPages: 1,
    referrers: [{ host: 'search.test', views: 1 }],
    otherReferrers: 1,
    statuses: [
      { status: 200, requests: 9 },
      { status: 404, requests: 1 },
    ],
  });
  expect(first?.totals).toMatchObject({ views: 4, requests: 10, bots: 2, bytes: 200 });
  expect(first?.replyTimes?.p50).toBeGreaterThan(3);
  expect(first?.replyTimes?.p50).toBeLessThanOrEqual(10);
  expect(first?.replyTimes?.p99).toBeGreaterThan(30);
  expect([all?.step, all?.points.length, all?.totals.views]).toEqual(['hour', 24, 5]);
  expect(first?.points.length).toBe(7);
});

test('days are those of the person’s clock, over a change of clocks too', () => {
  const hoursOfDays = (now: string, timeZone: string): Record<string, number> => {
    const range = timeRange(new Date(now), 7, timeZone);
    const counts = Object.fromEntries(range.labels.map((label) => [label, 0]));
    for (let at = range.from.getTime(); at <= Date.parse(now); at += HOUR_MS) {
      const label = range.labelOf(new Date(at));
      counts[label] = (counts[label] ?? 0) + 1;
    }
    return counts;
  };
  const autumn = hoursOfDays('2026-10-27T22:59:59Z', 'Europe/Berlin');
  expect(autumn).toMatchObject({
    '2026-10-21': 24,
    '2026-10-24': 24,
    '2026-10-25': 25,
    '2026-10-26': 24,
    '2026-10-27': 24,
  });
  expect(hoursOfDays('2026-03-31T21:59:59Z', 'Europe/Berlin')).toMatchObject({ '2026-03-29': 23, '2026-03-30': 24 });
  expect(hoursOfDays('2026-11-04T04:59:59Z', 'America/New_York')).toMatchObject({ '2026-11-01': 25, '2026-11-03': 24 });
  expect(hoursOfDays('2026-03-11T03:59:59Z', 'America/New_York')).toMatchObject({ '2026-03-08': 23, '2026-03-10': 24 });
  const night = timeRange(new Date('2026-10-25T05:30:00Z'), 1, 'Europe/Berlin');
  expect(new Set(night.labels).size).toBe(24);
  expect(night.labels.slice(-5)).toEqual(
    [
      '2026-10-25 02:00',
      '2026-10-25 02:00 (second)',
      '2026-10-25 03:00',
      '2026-10-25 04:00',
      '2026-10-25 05:00',
      '2026-10-25 06:00',
    ].slice(-5),
  );
});

test('a visit shortly before midnight is of the day that it was where its owner lives', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const owner = await ownerOf(person);
  const today = app.clock.now().toISOString().slice(0, 10);
  const midnight = Date.parse(today);
  await writeVisits([visitRow(owner, new Date(midnight - 24 * HOUR_MS).toISOString())]);
  await rollUp(app);
  const dayIn = async (timeZone: string) => {
    const { points } = await person.caller.analytics.visits({ days: 7, timeZone });
    return points.find(({ views }) => views > 0)?.label;
  };
  const dayBefore = (days: number) => new Date(midnight - days * 24 * HOUR_MS).toISOString().slice(0, 10);
  expect(await dayIn('UTC')).toBe(dayBefore(1));
  expect(await dayIn('America/New_York')).toBe(dayBefore(2));
  expect(await dayIn('Asia/Tokyo')).toBe(dayBefore(1));
  for (const timeZone of ['Mars/Olympus', '', '../etc', 'a'.repeat(65)]) {
    expect(await refusalOf(person.caller.analytics.visits({ days: 7, timeZone }))).toMatchObject({
      code: 'validation_failed',
    });
  }
});

test('a plan shows what it keeps, and none shows nothing', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const owner = await ownerOf(person);
  await writeVisits([visitRow(owner, hoursAgo(app, 20 * 24)), visitRow(owner, hoursAgo(app, 24))]);
  await rollUp(app);
  const asked: VisitsInput = { days: 90, timeZone: 'UTC' };
  const seen = async () => {
    const { keptDays, points, totals } = await person.caller.analytics.visits(asked);
    return [keptDays, points.length, totals.views];
  };
  expect(await seen()).toEqual([396, 90, 2]);
  await setPlan(person, 'BASIC');
  expect(await seen()).toEqual([7, 7, 1]);
  await setPlan(person, 'BASIC', { endsAt: new Date(0) });
  expect(await seen()).toEqual([null, 24, 0]);
});

test('visits come down as CSV that a spreadsheet does not run, to nobody else', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const stranger = await app.trialPerson();
  const owner = await ownerOf(person, '=1+1');
  await writeVisits([
    visitRow(owner, hoursAgo(app, 2), { pages: [{ path: '/a,"b"\r\n=2', views: 1 }], visitors: [visitorHash('ada')] }),
  ]);
  await rollUp(app);
  await using listener = await listen(app);
  const input = { deploymentId: owner.deploymentId, days: 7, timeZone: 'Europe/Berlin' } as const;
  const csvOf = async (table: 'visits' | 'pages' | 'referrers') => {
    const { url } = await person.caller.analytics.download({ ...input, table });
    const answer = await fetch(`${listener.url}${url}`);
    expect(answer.headers.get('content-type')).toContain('text/csv');
    return answer.text();
  };
  const lines = (await csvOf('visits')).split('\r\n');
  expect(lines.length).toBe(9);
  expect(lines[0]).toBe('time,deployment,address,page views,visitors,requests,requests of bots,bytes');
  expect(lines.some((line) => line.endsWith(",'=1+1,1-1,1,1,1,0,100"))).toBe(true);
  expect((await csvOf('pages')).split('\r\n').slice(1).join('\n')).toBe('"/a,""b""\n=2",\'=1+1,1-1,1\n');
  expect(await csvOf('referrers')).toBe('referrer,deployment,address,page views\r\n');

  const { url } = await person.caller.analytics.download({ ...input, table: 'pages' });
  expect((await fetch(`${listener.url}${url.replace('table=pages', 'table=visits')}`)).status).toBe(404);
  expect((await fetch(`${listener.url}${url.replace(/ticket=.*/, '')}`)).status).toBe(401);
  expect((await fetch(`${listener.url}${url.replace('days=7', 'days=8')}`)).status).toBe(404);
  const theirs = stranger.caller.analytics.download({ ...input, table: 'pages' });
  expect(await refusalOf(theirs)).toMatchObject({ code: 'not_found' });
  expect(await refusalOf(stranger.caller.analytics.visits(input))).toMatchObject({ code: 'not_found' });
});

test.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '＝1'])('%j is text in a spreadsheet', (text) => {
  expect(csvLine([text, -1]).replaceAll('"', '')).toBe(`'${text},-1\r\n`);
});

test('releases count by platform: how they ended, how long they took and how large they were', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Site', platform: 'built-in' });
  await publish(app, person, deployment, { 'index.html': 'x'.repeat(100) });
  await publish(app, person, deployment, { 'index.html': 'y'.repeat(300) });
  const { platforms, isCut } = await person.caller.analytics.releases({ days: 30 });
  expect(isCut).toBe(false);
  expect(platforms).toMatchObject([
    {
      platform: 'built-in',
      releases: 2,
      live: 2,
      failed: 0,
      cancelled: 0,
      running: 0,
      medianBytes: 100,
      largestBytes: 300,
    },
  ]);
  expect(platforms[0]?.medianMs).toBeGreaterThanOrEqual(0);

  // What a person has to finish at one platform is not live there, though the release is, elsewhere; once another
  // release is live nobody will finish it.
  await PublicationModel.updateMany({ accountId: person.user.id }, { $set: { state: 'waiting' } });
  const waiting = await person.caller.analytics.releases({ days: 30 });
  expect(waiting.platforms).toMatchObject([{ releases: 2, live: 0, running: 1, cancelled: 1, medianMs: null }]);
});

test('whoever listens is told that visits were counted, and nobody else', async () => {
  await using app = await createPublishingApp();
  const [person, stranger] = [await app.trialPerson(), await app.trialPerson()];
  const owner = await ownerOf(person);
  const stop = new AbortController();
  const items = async (of: Person) => streamEvents(await contextOf(app, of), {}, stop.signal);
  const [own, theirs] = [await items(person), await items(stranger)];
  expect((await own.next()).value?.data).toEqual({ type: 'ready' });
  expect((await theirs.next()).value?.data).toEqual({ type: 'ready' });
  const next = own.next();
  const nothing = theirs.next();
  await writeVisits([visitRow(owner, hoursAgo(app, 0)), visitRow(owner, hoursAgo(app, 0))]);
  expect((await next).value?.data).toEqual({ type: 'visits_counted' });
  stop.abort();
  expect((await nothing).done).toBe(true);
});
