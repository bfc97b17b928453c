import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of somebody's own that sends all of an answer of `bytes` but its end. */
export async function startWithholding(bytes: number) {
  const waiting = new Set<ServerResponse>();
  const heard = { most: 0 };
  let status: number | null = null;
  const server = createServer((_request, response) => {
    const { headers, text } = { headers: { 'content-type': 'application/json' }, text: 'x'.repeat(bytes) };
    if (status !== null) return void response.writeHead(status, headers).end(`{"version":"${text}"}`);
    waiting.add(response);
    heard.most = Math.max(heard.most, waiting.size);
    response.on('close', () => waiting.delete(response));
    response.writeHead(200, headers).write(`{"version":"${text}`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    waiting,
    heard,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends the answers that wait, and gives whole ones from now on. */
    letGo(from: number) {
      status = from;
      for (const response of waiting) response.end('"}');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
