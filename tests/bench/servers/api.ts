import { once } from 'node:events';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { appRouter } from '../../../routers/_app.ts';
import { contextFor } from '../../../routers/context.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { createReadiness } from '../../../server/readiness.ts';
import type { Providers } from '../../../server/service-context.ts';
import { createTestApp } from '../../support/app.ts';
import { connectDatabase, tellReady } from './database.ts';

/** The same router, context and database behind our listener (`ours`) or tRPC's standalone adapter (`standalone`). */
const DEPLOYMENTS = 25;

async function listenOurs(providers: Providers): Promise<number> {
  const http = createHttpServer({
    providers,
    port: 0,
    host: '127.0.0.1',
    webRoot: 'dist/web',
    readiness: createReadiness({ store: providers.store, worker: { silentMs: () => 0 }, isOpen: () => true }),
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

await connectDatabase();
const app = await createTestApp();
const person = await app.trialPerson();
for (let number = 1; number <= DEPLOYMENTS; number += 1) {
  await person.caller.deployments.create({ name: `Bench ${number}`, platform: 'built-in' });
}
const listen = process.argv[2] === 'ours' ? listenOurs : listenStandalone;
tellReady(await listen(app.providers), { token: person.accessToken });
