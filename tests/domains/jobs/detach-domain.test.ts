import { expect, test } from 'vitest';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { EventModel } from '../../../server/database/models/event.ts';
import { SubscriptionModel } from '../../../server/database/models/plans/subscription.ts';
import { DAY_MS } from '../../../server/lib/durations.ts';
import { ONE } from '../../support/platform-app.ts';
import { createTwoPlatforms } from '../../support/two-platforms.ts';

type TwoPlatforms = Awaited<ReturnType<typeof createTwoPlatforms>>;

const namesAtNetlify = (on: TwoPlatforms) => on.netlify.world.domains?.countNames();

test('a name at a platform is told to it with its records, and taken off again', async () => {
  await using on = await createTwoPlatforms();
  const { domains } = on.person.caller;
  const { id: deploymentId } = await on.deployments.create({ name: 'Elsewhere', platform: 'netlify' });
  await on.publish({ id: deploymentId }, ONE);
  const added = await domains.add({ deploymentId, name: 'elsewhere.test' });
  expect(added.url).toBe('https://elsewhere.test');
  expect(added.records.filter(({ purpose }) => purpose === 'route').map(({ name }) => name)).toContain(
    'elsewhere.test',
  );
  const names = () => on.netlify.world.domains?.countNames();
  expect(await names()).toBeGreaterThan(0);

  await domains.remove({ domainId: added.id });
  expect((await domains.get({ domainId: added.id })).state).toBe('removing');
  await on.settle();
  await expect(domains.get({ domainId: added.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await names()).toBe(0);
});

test('a deployment that is deleted gives its names up', async () => {
  await using on = await createTwoPlatforms();
  const { domains } = on.person.caller;
  const deploymentId = await on.liveAtNetlify('Gone');
  await domains.add({ deploymentId, name: 'gone.test' });
  await on.deployments.remove({ deploymentId });
  await on.settle();
  expect(await DomainModel.countDocuments({ accountId: on.person.user.id })).toBe(0);
});

test('a claim that ends unproved is taken off its platform', async () => {
  await using on = await createTwoPlatforms();
  const deploymentId = await on.liveAtNetlify('Unproved');
  await on.person.caller.domains.add({ deploymentId, name: 'unproved.test' });
  expect(await namesAtNetlify(on)).toBe(2);
  on.clock.advance(8 * DAY_MS);
  await on.settle();
  expect((await on.person.caller.domains.list()).items).toEqual([]);
  expect(await namesAtNetlify(on)).toBe(0);
});

test('what a platform was told of is taken off it, also when nobody heard its answer', async () => {
  await using on = await createTwoPlatforms();
  const deploymentId = await on.liveAtNetlify('Unheard');
  const netlify = on.netlify.platform;
  on.providers.platforms = {
    ...on.providers.platforms,
    netlify: {
      ...netlify,
      attachDomain: async (call, name) => {
        await netlify.attachDomain?.(call, name);
        throw new Error('the process is gone');
      },
    },
  };
  const added = await on.person.caller.domains.add({ deploymentId, name: 'unheard.test' });
  expect(await namesAtNetlify(on)).toBe(2);
  await on.person.caller.domains.remove({ domainId: added.id });
  await on.settle();
  expect(await namesAtNetlify(on)).toBe(0);
});

test('a move beyond the cap of the plan touches nothing at the platform', async () => {
  await using on = await createTwoPlatforms();
  const { domains } = on.person.caller;
  const from = await on.liveAtNetlify('From');
  const to = await on.liveAtNetlify('To');
  const { id: domainId } = await domains.add({ deploymentId: from, name: 'from.test' });
  await domains.add({ deploymentId: to, name: 'to.test' });
  await SubscriptionModel.updateOne({ accountId: on.person.user.id }, { $set: { plan: 'BASIC' } });
  const seen = on.netlify.standIn.requests.length;
  await expect(domains.update({ domainId, deploymentId: to })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await on.settle();
  expect(on.netlify.standIn.requests.slice(seen).filter(({ step }) => step === 'attach')).toEqual([]);
  expect(await namesAtNetlify(on)).toBe(4);
});

test('a platform that lets us in no more keeps the name, which is said, and the name is free here', async () => {
  await using on = await createTwoPlatforms();
  const { domains, connections } = on.person.caller;
  const deploymentId = await on.liveAtNetlify('Locked');
  const { id: domainId } = await domains.add({ deploymentId, name: 'locked.test' });
  const { items } = await connections.list();
  await connections.remove({ connectionId: items.find(({ provider }) => provider === 'netlify')?.id ?? '' });
  await domains.remove({ domainId });
  await on.settle();
  await expect(domains.get({ domainId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const told = await EventModel.find({ accountId: on.person.user.id, type: 'notification' }).lean();
  expect(told.map(({ payload }) => payload.title)).toContain('locked.test may still be at Netlify');
});
