import { expect, test } from 'vitest';
import { newId } from '../../server/database/mongo.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createGridStore } from '../../server/store/gridfs/gridfs.ts';
import { listen } from '../support/listen.ts';
import { createPublishingApp, publish } from '../support/publishing.ts';
import { writeZip } from '../support/zip-writer.ts';

const SITE = { 'index.html': '<h1>One</h1>', 'style.css': 'h1 { color: teal }', 'large.txt': 'x'.repeat(3_000_000) };

test('releases are published, rolled back, downloaded and served from artifacts in the database', async () => {
  const store = await createGridStore({
    minFreeBytes: 0,
    bucket: `store_${newId()}`,
    rateCounters: createRateCounters(),
  });
  await using app = await createPublishingApp({ providers: { store } });
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const headers = { authorization: `Bearer ${person.accessToken}` };
  const deployment = await person.caller.deployments.create({ name: 'In the database', platform: 'built-in' });

  const first = await publish(app, person, deployment, SITE);
  expect(first).toMatchObject({ state: 'live', error: null });
  expect((await app.visit(deployment.slug)).text).toBe('<h1>One</h1>');
  expect((await app.visit(deployment.slug, '/large.txt')).body.length).toBe(3_000_000);

  const { uploadId } = await person.caller.releases.prepare({ deploymentId: deployment.id });
  const sent = await fetch(`${listener.url}/api/uploads/${uploadId}/zip`, {
    method: 'POST',
    body: new Uint8Array(writeZip([{ name: 'index.html', data: Buffer.from('<h1>Two</h1>') }])),
    headers: { ...headers, 'content-type': 'application/zip' },
  });
  expect(sent.status).toBe(200);
  await person.caller.releases.create({ deploymentId: deployment.id, uploadId });
  await app.jobs.drain();
  expect((await app.visit(deployment.slug)).text).toBe('<h1>Two</h1>');

  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: first.id });
  await app.jobs.drain();
  expect((await app.visit(deployment.slug)).text).toBe('<h1>One</h1>');
  const download = await fetch(`${listener.url}/api/releases/${first.id}/download`, { headers });
  expect((await download.arrayBuffer()).byteLength).toBe(Number(download.headers.get('content-length')));
});
