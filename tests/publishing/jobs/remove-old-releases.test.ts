import { expect, test } from 'vitest';
import { RELEASES_KEPT, ROLL_BACKS_KEPT } from '../../../routers/schemas/limits.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { PublicationModel } from '../../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { RollBackModel } from '../../../server/database/models/publishing/roll-back.ts';
import { newId, transaction } from '../../../server/database/mongo.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { recordRollBack } from '../../../server/publishing/releases/roll-backs.ts';
import { enqueueDue } from '../../../server/queue/recurring.ts';
import { createPublishingApp, publish } from '../../support/publishing.ts';

/** More than are removed in one transaction. */
const MANY = 230;

test('of a deployment the newest releases keep rows and logs; older ones go with a notice, but not what visitors have', async () => {
  await using app = await createPublishingApp();
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Daily', platform: 'built-in' });
  const live = await publish(app, person, deployment, { 'index.html': '<h1>Daily</h1>' });
  const add = async (number: number, more: object = {}) => {
    const { _id, ...fields } = (await ReleaseModel.findOne(own).lean()) ?? { _id: '' };
    const id = newId();
    await ReleaseModel.create({ ...fields, _id: id, number, state: 'superseded', ...more });
    const publication = { _id: `${id}.there`, ...own, releaseId: id, destinationId: 'there' };
    await PublicationModel.create({ ...publication, platform: 'built-in' });
    return id;
  };
  const own = { accountId: person.user.id, deploymentId: deployment.id };
  const old = [await add(2), await add(3, { state: 'failed' })];
  const kept = [await add(4, { servedUntil: new Date() }), await add(MANY)];
  const like = (await ReleaseModel.findOne({ ...own, number: 2 }).lean()) ?? {};
  await ReleaseModel.insertMany(
    Array.from({ length: MANY - 5 }, (_, index) => ({ ...like, _id: newId(), number: index + 5, state: 'superseded' })),
  );
  await DeploymentModel.updateOne(
    { _id: deployment.id, accountId: person.user.id },
    { $set: { releaseCount: RELEASES_KEPT + MANY - 1 } },
  );

  const night = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  await enqueueDue(new Date(night), 0);
  await app.jobs.drain();
  // Who publishes all day is told once a day.
  await DeploymentModel.updateOne({ _id: deployment.id, accountId: person.user.id }, { $inc: { releaseCount: 1 } });
  await enqueueDue(new Date(night + HOUR_MS), 0);
  await app.jobs.drain();

  const ids = (await ReleaseModel.find(own).lean()).map(({ _id }) => _id);
  expect(ids.sort()).toEqual([live.id, ...kept].sort());
  expect(await PublicationModel.countDocuments({ accountId: person.user.id, releaseId: { $in: old } })).toBe(0);
  const notices = await EventModel.find({ accountId: person.user.id, type: 'notification' }).lean();
  expect(
    notices.filter(({ payload }) => payload.title === 'Old releases removed').map(({ payload }) => payload.message),
  ).toEqual(['The 500 newest releases of Daily are kept. Removed, with their logs: 227 older releases.']);
});

test('of a deployment the newest roll backs are kept', async () => {
  const ids = { accountId: newId(), deploymentId: newId() };
  const row = (minute: number) => ({
    ...{ _id: newId(), ...ids, fromNumber: 2, toReleaseId: newId(), toNumber: 1, createdBy: 'ada' },
    ...{ state: 'done' as const, createdAt: new Date(minute * MINUTE_MS) },
  });
  await RollBackModel.insertMany(Array.from({ length: ROLL_BACKS_KEPT + 2 }, (_, minute) => row(minute)));
  const to = new ReleaseModel({ ...ids, _id: newId(), number: 1 });
  const at = new Date(DAY_MS);
  await transaction((session) => recordRollBack(session, { from: 2, to, createdBy: 'ada', at }));
  const kept = await RollBackModel.find(ids).sort({ createdAt: 1 }).lean();
  expect([kept.length, kept[0]?.createdAt]).toEqual([ROLL_BACKS_KEPT, new Date(3 * MINUTE_MS)]);
});
