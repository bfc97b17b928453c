import { expect, test } from 'vitest';
import { forgetVisits, rollUpVisits } from '../../../server/analytics/index.ts';
import { VisitDayModel } from '../../../server/database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../../../server/database/models/analytics/visit-hour.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createTestApp, type Person } from '../../support/app.ts';
import { setPlan } from '../../support/plans.ts';
import { visitRow, writeVisits } from '../../support/visit-rows.ts';

const NEVER = new AbortController().signal;
const DAY_MS = 86_400_000;
const NOW = new Date('2026-11-25T12:30:30Z');

async function ownerOf(person: Person) {
  const { id } = await person.caller.deployments.create({ name: 'Counted', platform: 'built-in' });
  return { accountId: person.user.id, deploymentId: id };
}

const hoursOf = (owner: { accountId: string }) => VisitHourModel.find(owner).sort({ at: 1 }).lean();

test('counts are kept as long as the plan says, and a month longer where it has ended', async () => {
  await using app = await createTestApp();
  const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
  const kept = async (plan: 'BASIC' | 'STANDARD' | 'PRO', endsAt: Date): Promise<number[]> => {
    const person = await app.trialPerson();
    const owner = await ownerOf(person);
    const ages = [1, 6, 20, 100, 300];
    await writeVisits(ages.map((days) => visitRow(owner, daysAgo(days).toISOString())));
    await rollUpVisits(NOW, NEVER, transaction);
    await setPlan(person, plan, { endsAt });
    await forgetVisits(NOW, NEVER);
    const ageOf = ({ at }: { at: Date }) => Math.ceil((NOW.getTime() - at.getTime() - 3_600_000) / DAY_MS);
    const hours = (await hoursOf(owner)).map(ageOf).reverse();
    expect(await VisitDayModel.countDocuments({ accountId: owner.accountId })).toBe(hours.length);
    const names = await VisitHourModel.countDocuments({ accountId: owner.accountId, 'pages.0': { $exists: true } });
    expect(names).toBe(hours.filter((days) => days < 35).length);
    return hours;
  };
  const tomorrow = daysAgo(-1);
  expect(await kept('BASIC', tomorrow)).toEqual([1, 6]);
  expect(await kept('STANDARD', tomorrow)).toEqual([1, 6, 20]);
  expect(await kept('PRO', tomorrow)).toEqual([1, 6, 20, 100, 300]);
  expect(await kept('PRO', daysAgo(29))).toEqual([1, 6, 20, 100, 300]);
  expect(await kept('PRO', daysAgo(31))).toEqual([]);
});

test('the background forgets by itself', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const owner = await ownerOf(person);
  const now = app.clock.now();
  await writeVisits([9, 1].map((days) => visitRow(owner, new Date(now.getTime() - days * DAY_MS).toISOString())));
  await rollUpVisits(now, NEVER, transaction);
  await setPlan(person, 'BASIC');
  await enqueueDue(new Date(), 0);
  await app.jobs.drain();
  expect(await hoursOf(owner)).toHaveLength(1);
});
