import { expect, test } from 'vitest';
import { DAY_MS } from '../../server/lib/durations.ts';
import { ONE, TWO } from '../support/platform-app.ts';
import { contextOf, sendSite } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';
import { createTwoPlatforms } from '../support/two-platforms.ts';

const REFUSED = { how: 'status', status: 401 } as const;
const DOWN = { how: 'status', status: 503 } as const;

test('before a release every platform of it is asked, and only the primary one stops it', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Asked first');
  app.clock.advance(DAY_MS);
  app.vercel.world.fail('account', REFUSED, 1);
  await app.releases.prepare({ deploymentId });
  const { lostConnections, destinations } = await app.deployments.get({ deploymentId });
  expect(lostConnections).toMatchObject([{ provider: 'vercel', destinationId: destinations[1]?.id }]);
});

test('trying again, rolling back and an upload without a deployment ask as well', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId, first } = await app.createOnBoth('Asked again');
  await app.publish({ id: deploymentId }, TWO);
  const third = await app.start({ id: deploymentId }, ONE);
  await app.releases.cancel({ releaseId: third.id });
  await app.settle();
  const { uploadId } = await app.releases.prepare();
  await sendSite(await contextOf(app, app.person), uploadId, ONE);
  app.clock.advance(DAY_MS);
  app.netlify.world.fail('account', REFUSED, 3);
  const acts = [
    () => app.releases.create({ deploymentId, uploadId }),
    () => app.releases.retry({ releaseId: third.id }),
    () => app.deployments.rollBack({ deploymentId, releaseId: first.id }),
  ];
  for (const act of acts) expect(await refusalOf(act())).toMatchObject({ code: 'credentials_invalid' });
  const { latestRelease } = await app.deployments.get({ deploymentId });
  expect(latestRelease).toMatchObject({ id: third.id, state: 'cancelled' });

  app.clock.advance(DAY_MS);
  app.netlify.world.fail('account', DOWN, 20);
  expect(await refusalOf(app.releases.retry({ releaseId: third.id }))).toMatchObject({ code: 'credentials_invalid' });
  app.netlify.world.heal();
  expect((await app.releases.retry({ releaseId: third.id })).state).toBe('queued');
});

test('another try at one platform asks that one', async () => {
  await using app = await createTwoPlatforms();
  const { deploymentId } = await app.createOnBoth('Asked there');
  app.vercel.world.fail('upload', { how: 'cut' }, 1_000);
  await app.publish({ id: deploymentId }, TWO);
  const destinationId = (await app.deployments.get({ deploymentId })).destinations[1]?.id ?? '';
  app.vercel.world.heal();
  app.clock.advance(DAY_MS);
  app.vercel.world.fail('account', REFUSED, 1);
  const retry = () => app.deployments.retryDestination({ deploymentId, destinationId });
  expect(await refusalOf(retry())).toMatchObject({ code: 'credentials_invalid' });
  expect((await retry()).destinations[1]).toMatchObject({ state: 'publishing' });
});
