import { type IncomingHttpHeaders, request } from 'node:http';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer; text: string };
export type Ask = { method?: string; headers?: Record<string, string> };

/** Returns one request over a connection of its own; `path` is not changed in any way. */
export function get(port: number, host: string, path: string, ask: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: ask.method ?? 'GET',
        headers: { Host: host, ...ask.headers },
        agent: false,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(pieces);
          resolve({
            ...{ status: response.statusCode ?? 0, headers: response.headers, body },
            // Megabytes that nobody reads as a text are left as they are.
            get text() {
              return body.toString('utf8');
            },
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
