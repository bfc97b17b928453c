import { AsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { recountDeployments } from '../../../server/plans/quota.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createTestApp, type Person } from '../../support/app.ts';

const NEVER = new AbortController().signal;
const setCount = (person: Person, deploymentCount: number) =>
  UserModel.updateOne({ _id: person.user.id }, { $set: { deploymentCount } });
const countOf = async (person: Person) => (await person.caller.user.get()).deploymentCount;

test('once a night every number of deployments is what is there', async () => {
  await using app = await createTestApp();
  const [over, under, right] = [await app.trialPerson(), await app.trialPerson(), await app.trialPerson()];
  for (const [index, { caller }] of [over, under, right].entries()) {
    await caller.deployments.create({ name: `Counted ${index}`, platform: 'built-in' });
  }
  await setCount(over, 7);
  await setCount(under, 0);

  await enqueueDue(new Date(), 0);
  await app.jobs.drain();

  expect([await countOf(over), await countOf(under), await countOf(right)]).toEqual([1, 1, 1]);
});

test('an account without deployments is counted too, and a deployment that is created meanwhile is not lost', async () => {
  await using app = await createTestApp();
  const [empty, busy] = [await app.trialPerson(), await app.trialPerson()];
  await setCount(empty, 3);
  await setCount(busy, 2);
  // Bound here: a call of somebody else's is no part of the transaction that it runs beside.
  const create = AsyncResource.bind(() => busy.caller.deployments.create({ name: 'Meanwhile', platform: 'built-in' }));
  let creating: Promise<unknown> | undefined;

  const corrected = await recountDeployments(NEVER, (work) =>
    transaction(async (session) => {
      const result = await work(session);
      creating ??= create();
      return result;
    }),
  );

  await creating;
  expect(corrected).toBe(2);
  expect([await countOf(empty), await recountDeployments(NEVER, transaction)]).toEqual([0, 0]);
});
