import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/** Has a server listen at a free port of this machine, until it is disposed of with its connections. */
export async function atFreePort(
  server: Server & Partial<Pick<HttpServer, 'closeAllConnections'>>,
  host = '127.0.0.1',
) {
  await once(server.listen(0, host), 'listening');
  const port = portOf(server);
  return {
    port,
    url: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections?.();
      await once(server.close(), 'close');
    },
  };
}

export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
