import { expect, test } from 'vitest';
import { JobModel } from '../../server/database/models/job.ts';
import { createTestApp } from '../support/app.ts';
import { refusalOf } from '../support/refusal.ts';

test('an idempotency key of something that was deleted since says so', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const input = { name: 'Brief', platform: 'built-in' as const, idempotencyKey: 'key-of-the-past' };
  const { id: deploymentId } = await person.caller.deployments.create(input);
  await person.caller.deployments.remove({ deploymentId });
  const deleted = { code: 'conflict', message: expect.stringMatching(/has been deleted since\. Use a new key\.$/) };
  expect(await refusalOf(person.caller.deployments.create(input))).toMatchObject(deleted);
  await app.jobs.drain();
  expect(await refusalOf(person.caller.deployments.create(input))).toMatchObject(deleted);
});

test('deleting the same draft many times at once is done for each of them', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create({
    name: 'Clicked twice',
    platform: 'built-in',
  });
  const removals = Array.from({ length: 5 }, () => person.caller.deployments.remove({ deploymentId }));
  expect(await Promise.all(removals)).toEqual(Array(5).fill({ done: true }));
  const queued = {
    status: 'queued' as const,
    runAt: { $gt: new Date(0) },
    key: deploymentId,
    accountId: person.user.id,
  };
  expect(await JobModel.countDocuments(queued).comment('test')).toBe(1);
  await app.jobs.drain();
});
