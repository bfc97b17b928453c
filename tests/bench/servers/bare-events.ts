import { EventEmitter, on, once } from 'node:events';
import { createServer } from 'node:http';
import { initTRPC, tracked } from '@trpc/server';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import superjson from 'superjson';
import { WebSocketServer } from 'ws';
import { onPublish, stamp, tellReady } from '../ready.ts';

/** The peer of the events: a bare subscription on an emitter, and no code of Fairlead. */
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
