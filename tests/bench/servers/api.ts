import { once } from 'node:events';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { appRouter } from '../../../routers/_app.ts';
import { contextFor } from '../../../routers/context.ts';
import { createReadiness } from '../../../server/boot/readiness.ts';
import type { Providers } from '../../../server/context.ts';
import { DeploymentModel } from '../../../server/database/models/publishing/deployment.ts';
import { PublicationModel, publicationId } from '../../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import { newId } from '../../../server/database/mongo.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { createTestApp } from '../../support/app.ts';
import { connectDatabase } from '../database.ts';
import { tellReady } from '../ready.ts';

/** The same router, context and database behind our listener (`ours`) or tRPC's standalone adapter (`standalone`). */
const DEPLOYMENTS = 25;

async function listenOurs(providers: Providers): Promise<number> {
  const http = createHttpServer({
    providers,
    port: 0,
    host: '127.0.0.1',
    webRoot: 'dist/web',
    readiness: createReadiness({ store: providers.store, worker: { silentMs: () => 0 }, isServing: () => true }),
  });
  await http.start();
  return http.address.port;
}

async function listenStandalone(providers: Providers): Promise<number> {
  const server = createHTTPServer({
    router: appRouter,
    basePath: '/api/trpc/',
    createContext: ({ req, res }) => contextFor(providers, req, res),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** The rows of a deployment that was published, without its files. */
async function addLiveRelease(accountId: string, deploymentId: string): Promise<void> {
  const now = new Date();
  const _id = newId();
  await ReleaseModel.create({
    _id,
    accountId,
    deploymentId,
    number: 1,
    state: 'live',
    source: 'folder',
    createdBy: 'bench',
    manifestHash: _id.padEnd(64, '0'),
    fileCount: 1,
    totalBytes: 1,
    changedFiles: 1,
    verifiedAt: now,
    liveSince: now,
    finishedAt: now,
  });
  const destinationId = newId();
  await PublicationModel.create({
    ...{
      _id: publicationId({ releaseId: _id, destinationId }),
      accountId,
      deploymentId,
      releaseId: _id,
      destinationId,
    },
    ...{ platform: 'built-in', state: 'live' },
  });
  await DeploymentModel.updateOne(
    { _id: deploymentId, accountId },
    { $set: { state: 'live', currentReleaseId: _id, latestReleaseId: _id, releaseCount: 1 } },
  );
}

await connectDatabase();
const app = await createTestApp();
const person = await app.trialPerson();
for (let number = 1; number <= DEPLOYMENTS; number += 1) {
  const { id } = await person.caller.deployments.create({ name: `Bench ${number}`, platform: 'built-in' });
  await addLiveRelease(person.user.id, id);
}
const listen = process.argv[2] === 'ours' ? listenOurs : listenStandalone;
tellReady(await listen(app.providers), { token: person.accessToken });
