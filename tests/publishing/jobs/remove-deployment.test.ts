import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import { VisitModel, type VisitRow } from '../../../server/database/models/analytics/visit.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { HeldSlugModel } from '../../../server/database/models/publishing/held-slug.ts';
import { PublicationModel } from '../../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { RollBackModel } from '../../../server/database/models/publishing/roll-back.ts';
import { newId } from '../../../server/database/mongo.ts';
import { AppError } from '../../../server/lib/errors.ts';
import { listDeadLetters } from '../../../server/queue/dead-letters.ts';
import { createTestApp, type Person } from '../../support/app.ts';
import { makeDue } from '../../support/make-due.ts';
import { createPublishingApp, publish } from '../../support/publishing.ts';

const create = (person: Person, name: string) => person.caller.deployments.create({ name, platform: 'built-in' });

const PLACE = { destinationId: '!', platform: 'netlify' as const, names: [], isEnding: false };

/** Minutes in which a site was visited. */
function visitRows(person: Person, deploymentId: string, minutes: number): VisitRow[] {
  return Array.from({ length: minutes }, (_, minute) => ({
    _id: `${deploymentId} ${minute}`,
    accountId: person.user.id,
    deploymentId,
    at: new Date(minute * 60_000 + Date.UTC(2099)),
    requests: 1,
    views: 1,
    bots: 0,
    bytes: 1,
    statuses: [],
    pages: [],
    referrers: [],
    visitors: [],
    replies: [],
  }));
}

test('a removed deployment is gone with its releases, its place in the plan is free, its address is held', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await create(person, 'Gone');
  const one = await publish(app, person, deployment, { 'index.html': 'here' });
  await publish(app, person, deployment, { 'index.html': 'there' });
  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: one.id });
  await app.jobs.drain();
  expect(await person.caller.deployments.remove({ deploymentId: deployment.id })).toEqual({ done: true });
  expect((await person.caller.deployments.get({ deploymentId: deployment.id })).state).toBe('deleting');
  await person.caller.deployments.remove({ deploymentId: deployment.id });
  await app.jobs.drain();
  await expect(person.caller.deployments.get({ deploymentId: deployment.id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const ofAccount = { accountId: person.user.id };
  expect(await ReleaseModel.countDocuments(ofAccount).comment('test')).toBe(0);
  expect(await PublicationModel.countDocuments(ofAccount).comment('test')).toBe(0);
  expect(await RollBackModel.countDocuments(ofAccount).comment('test')).toBe(0);
  expect((await UserModel.findById(person.user.id))?.deploymentCount).toBe(0);
  expect(await HeldSlugModel.exists({ _id: 'gone', ...ofAccount })).not.toBeNull();
  const told = await EventModel.find({ ...ofAccount, type: 'notification' }).comment('test');
  expect(told.map(({ payload: { title, message } }) => [title, message])).toEqual([
    ['Gone was deleted', 'It is offline, and its releases are erased.'],
  ]);
  await expect.poll(async () => (await app.visit('gone')).status).toBe(404);
});

test('the visits of a removed deployment are erased, however many, and no others', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const [gone, kept] = [await create(person, 'Unvisited'), await create(person, 'Visited')];
  await VisitModel.insertMany([...visitRows(person, gone.id, 2_500), ...visitRows(person, kept.id, 3)]);

  await person.caller.deployments.remove({ deploymentId: gone.id });
  await app.jobs.drain();

  const left = await VisitModel.distinct('deploymentId', { accountId: person.user.id });
  expect(left).toEqual([kept.id]);
  expect(await VisitModel.countDocuments({ accountId: person.user.id, deploymentId: kept.id })).toBe(3);
});

test('its domains are erased some at a time, and what broke off in between goes on', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Many Names');
  const accountId = person.user.id;
  const rows = Array.from({ length: 60 }, (_, number) => ({
    ...{ _id: newId(), accountId, deploymentId, name: `n${number}.test`, unit: `n${number}.test` },
    ...{ servedName: `n${number}.test`, proof: { name: 'proof', value: 'proof' }, state: 'active' as const },
    ...{ nextCheckAt: app.clock.now(), quickFrom: app.clock.now() },
    // One that no job takes, as if the process had been killed there: the newest go first.
    createdAt: new Date(app.clock.now().getTime() - number * 1_000),
    leaving: number === 55 ? [{ ...PLACE, deploymentId: newId() }] : [],
  }));
  await DomainModel.insertMany(rows, { timestamps: false });
  await person.caller.deployments.remove({ deploymentId });
  await app.jobs.drain();
  expect(await DomainModel.countDocuments({ accountId })).toBe(10);

  await DomainModel.updateOne({ _id: rows[55]?._id ?? '', accountId }, { $set: { leaving: [] } });
  await makeDue();
  await app.jobs.drain();
  expect(await DomainModel.countDocuments({ accountId })).toBe(0);
  expect(await DeploymentModel.exists({ accountId, _id: deploymentId })).toBeNull();
});

test('a removal that its platform refuses again and again is taken up by itself, and the account goes after it', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await create(person, 'Stuck');
  const builtIn = app.providers.platforms['built-in'];
  if (builtIn === undefined) throw new Error('There is no built-in host.');
  let asked = 0;
  const remove = async (): Promise<never> => {
    asked += 1;
    throw new AppError('platform_failed', 'The platform wants nothing of it.');
  };
  app.providers.platforms = { ...app.providers.platforms, 'built-in': { ...builtIn, remove } };
  await person.caller.account.delete({ username: person.user.username, currentPassword: person.password });
  const drainDue = async (): Promise<void> => {
    await makeDue();
    await app.jobs.drain();
  };
  while (asked < 7) await drainDue();
  expect(await listDeadLetters()).toEqual([]);
  expect(await UserModel.exists({ _id: person.user.id, deploymentCount: 1 })).not.toBeNull();

  app.providers.platforms = { ...app.providers.platforms, 'built-in': builtIn };
  await drainDue();
  await drainDue();
  expect(await DeploymentModel.exists({ accountId: person.user.id, _id: deploymentId })).toBeNull();
  expect(await UserModel.exists({ _id: person.user.id })).toBeNull();
});
