import { EventEmitter, on, once } from 'node:events';
import { createServer } from 'node:http';
import { initTRPC, tracked } from '@trpc/server';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import mongoose from 'mongoose';
import superjson from 'superjson';
import { WebSocketServer } from 'ws';
import { createReadiness } from '../../../server/boot/readiness.ts';
import { createChangeFeed } from '../../../server/database/change-feed.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { publishEvent } from '../../../server/events/publish.ts';
import { createHttpServer } from '../../../server/http/server.ts';
import { createTestApp } from '../../support/app.ts';
import { connectDatabase, tellReady } from './database.ts';

/** One account's events to many sockets: ours from the database on, the peer a bare subscription on an emitter. */
const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: console.error };

/** The monotonic clock is one for all processes of a machine, so the reader can subtract. */
const stamp = (): string => process.hrtime.bigint().toString();

/** The second of the benchmark's two messages collects garbage and answers. */
function onPublish(publish: () => void): void {
  process.on('message', (message) => {
    if (message === 'publish') return publish();
    globalThis.gc?.();
    process.send?.({ isCollected: true });
  });
}

async function serveOurs(): Promise<void> {
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
}

async function serveBare(): Promise<void> {
  const trpc = initTRPC.create({ transformer: superjson });
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  let number = 0;
  const router = trpc.router({
    stream: trpc.procedure.subscription(async function* ({ signal }) {
      yield tracked('0', { type: 'ready' });
      for await (const [id, message] of on(emitter, 'event', signal === undefined ? {} : { signal })) {
        yield tracked(String(id), { type: 'notification', message: String(message) });
      }
    }),
  });
  const server = createServer();
  const wss = new WebSocketServer({ server, perMessageDeflate: false });
  applyWSSHandler({ wss, router, createContext: () => ({}) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onPublish(() => {
    number += 1;
    const message = stamp();
    emitter.emit('event', number, message);
    process.send?.({ committedAt: message, message });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  tellReady(address.port, { token: '', path: 'stream' });
}

await (process.argv[2] === 'ours' ? serveOurs() : serveBare());
