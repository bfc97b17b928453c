import { createServer } from 'node:tls';
import { createHttp2Sessions } from '../../server/http/transport/http2.ts';
import { createUnreadBudget } from '../../server/http/transport/unread-budget.ts';
import { selfSigned } from './certificate.ts';

/**
 * Speaks HTTP/2 in a process of its own, and sends its port. The arguments are the requests after which a session ends,
 * and the bytes of each answer.
 */
const [requestsMax = '', bytes = ''] = process.argv.slice(2);
const HOUR_MS = 60 * 60_000;

const body = Buffer.alloc(Number(bytes), 'a');
const sessions = createHttp2Sessions({
  handle(_request, response) {
    response.writeHead(200, ['Content-Type', 'text/css']).end(body);
  },
  onError: (_request, response) => response.destroy(),
  idleMs: HOUR_MS,
  silentMs: HOUR_MS,
  sweepMs: HOUR_MS,
  requestsMax: Number(requestsMax),
  budget: createUnreadBudget(Number.POSITIVE_INFINITY),
});
const pair = selfSigned(new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS), 'harbour.localhost');
const server = createServer({ ...pair, ALPNProtocols: ['h2'] }, (socket) => {
  socket.on('error', () => undefined);
  sessions.accept(socket);
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit(0));
