import mongoose from 'mongoose';
import { createReadiness } from '../../../server/boot/readiness.ts';
import { createChangeFeed } from '../../../server/database/change-feed.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { publishEvent } from '../../../server/events/publish.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { createTestApp } from '../../support/app.ts';
import { connectDatabase } from '../database.ts';
import { onPublish, stamp, tellReady } from '../ready.ts';

/** One account's events to many sockets, from the database on. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: console.error };

await connectDatabase();
const changes = createChangeFeed(QUIET);
await changes.start();
const app = await createTestApp({ changes, limits: { socketsPerAccount: 10_000, socketsPerAddress: 10_000 } });
const person = await app.trialPerson();
const { secret: token } = await person.caller.tokens.create({
  name: 'bench',
  scopes: ['read'],
  currentPassword: person.password,
});
const http = createHttpServer({
  providers: app.providers,
  port: 0,
  host: '127.0.0.1',
  webRoot: 'dist/web',
  readiness: createReadiness({ store: app.providers.store, worker: { silentMs: () => 0 }, isServing: () => true }),
});
await http.start();
onPublish(async () => {
  const message = stamp();
  await transaction((session) => publishEvent(session, person.user.id, { type: 'notification', message }));
  process.send?.({ committedAt: stamp(), message });
});
tellReady(http.address.port, { token, path: 'events.stream' });
process.on('exit', () => void mongoose.disconnect());
