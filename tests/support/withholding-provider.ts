import { createServer, type ServerResponse } from 'node:http';
import { atFreePort } from './at-free-port.ts';

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
  return {
    ...(await atFreePort(server)),
    waiting,
    heard,
    /** Ends the answers that wait, and gives whole ones from now on. */
    letGo(from: number) {
      status = from;
      for (const response of waiting) response.end('"}');
    },
  };
}
