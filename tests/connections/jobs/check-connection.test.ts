import { expect, test } from 'vitest';
import { transaction } from '../../../server/database/mongo.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/lib/durations.ts';
import { enqueueJob } from '../../../server/queue/queue.ts';
import { createPlatformApp, ONE, type PlatformApp } from '../../support/platform-app.ts';
import { netlifyUnderTest } from '../../support/standins/netlify/world.ts';

const REFUSED = { how: 'status', status: 401 } as const;

async function look({ connections, person, settle }: PlatformApp): Promise<string | undefined> {
  const [connection] = (await connections.list()).items;
  if (connection === undefined) throw new Error('Nothing is connected.');
  const payload = { connectionId: connection.id };
  const accountId = person.user.id;
  await transaction((session) =>
    enqueueJob(session, { name: 'check-connection', payload, accountId, key: connection.id }),
  );
  await settle();
  return (await connections.list()).items[0]?.state;
}

test('a token that was taken back is known to be before anybody publishes by it', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  app.world.fail('account', { how: 'status', status: 503 }, 20);
  expect(await look(app)).toBe('ok');
  app.world.heal();
  app.world.fail('account', REFUSED, 1);
  expect(await look(app)).toBe('broken');
  expect(await look(app)).toBe('ok');
});

test('a platform that refuses the token by now is asked before any file is sent, and one that is down is no obstacle', async () => {
  await using app = await createPlatformApp(netlifyUnderTest);
  const { id: deploymentId } = await app.create('Asked');
  await app.publish({ id: deploymentId }, ONE);
  const prepare = () => app.releases.prepare({ deploymentId });
  const asked = () => app.standIn.requests.filter(({ step }) => step === 'account').length;
  const before = asked();
  await prepare();
  expect(asked()).toBe(before);

  app.clock.advance(2 * MINUTE_MS);
  app.world.fail('account', REFUSED, 2);
  await expect(prepare()).rejects.toMatchObject({ cause: { code: 'credentials_invalid' } });
  expect((await app.deployments.get({ deploymentId })).lostConnections).toHaveLength(1);
  await expect(prepare()).rejects.toMatchObject({ cause: { hint: 'Replace the token in Settings.' } });
  // It was repaired at the platform.
  await prepare();
  expect((await app.deployments.get({ deploymentId })).lostConnections).toEqual([]);

  app.clock.advance(DAY_MS);
  app.world.fail('account', { how: 'status', status: 503 }, 20);
  await prepare();
});
