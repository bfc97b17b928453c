import { expect, test } from 'vitest';
import { UserModel } from '../../../server/database/models/account/user.ts';
import type { Person } from '../../support/app.ts';
import { FAST_PLATFORMS } from '../../support/fast-timeouts.ts';
import { createPublishingApp, type PublishingApp, publish } from '../../support/publishing.ts';

async function confirmed(app: PublishingApp): Promise<Person> {
  const person = await app.trialPerson();
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  await app.jobs.drain();
  app.outbox.length = 0;
  return person;
}

test('a release that is live is mailed to whoever wants it, at a confirmed address', async () => {
  await using app = await createPublishingApp();
  const ada = await confirmed(app);
  await ada.caller.user.updateNotifications({ releaseFailed: true, releaseLive: true });
  const deployment = await ada.caller.deployments.create({ name: 'Atlas', platform: 'built-in' });

  await publish(app, ada, deployment, { 'index.html': 'one' });
  await app.jobs.drain();

  expect(app.outbox).toMatchObject([
    { kind: 'release-live', to: ada.user.email, text: expect.stringContaining('Atlas is live at http://atlas') },
  ]);
  expect(app.outbox[0]?.text).toContain(`/deployments/${deployment.id}/releases/1`);
});

test('by default a live release is not mailed, and an address that is not confirmed gets nothing', async () => {
  await using app = await createPublishingApp();
  const [ada, eve] = [await confirmed(app), await app.trialPerson()];
  await eve.caller.user.updateNotifications({ releaseFailed: true, releaseLive: true });
  await app.jobs.drain();
  app.outbox.length = 0;

  for (const person of [ada, eve]) {
    const deployment = await person.caller.deployments.create({ name: 'Quiet', platform: 'built-in' });
    await publish(app, person, deployment, { 'index.html': 'one' });
  }
  await app.jobs.drain();

  expect(app.outbox).toEqual([]);
});

test('a release that failed is mailed with what broke', async () => {
  await using app = await createPublishingApp({ providers: { platforms: FAST_PLATFORMS } });
  const ada = await confirmed(app);
  const deployment = await ada.caller.deployments.create({ name: 'Broken', platform: 'built-in' });
  // Nothing answers there: what was published cannot be seen.
  app.providers.addresses.sitesListener.port = 1;

  await publish(app, ada, deployment, { 'index.html': 'one' }).catch(() => undefined);
  await app.jobs.drain();

  expect(app.outbox).toMatchObject([
    { kind: 'release-failed', to: ada.user.email, text: expect.stringContaining('Broken was not published') },
  ]);
});
