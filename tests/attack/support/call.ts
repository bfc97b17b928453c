import { request } from 'node:http';
import { NO_ANSWER } from '../../support/supervised-app.ts';

/** Far more than an answer takes on a busy machine: what is not there by then never comes. */
const PATIENCE_MS = 60_000;
const KEPT = 2_000;

export type Call = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Breaks the connection off after so long, as somebody does who closes the page. */
  abortAfterMs?: number | undefined;
};

/**
 * One call on a connection of its own. Returns what no answer may be: a fault of the server, or none at all;
 * a connection that is closed is an answer.
 */
export async function faultOf(
  url: string,
  { method, path, headers = {}, body = '', abortAfterMs }: Call,
): Promise<string[]> {
  const { hostname, port } = new URL(url);
  const options = {
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    headers: { Host: `${hostname}:${port}`, ...headers },
  };
  const found = await new Promise<string | null>((resolve) => {
    let answer = '';
    const outgoing = request(
      { ...options, headers: { 'content-length': Buffer.byteLength(body), ...options.headers } },
      (response) => {
        response.on('data', (piece: Buffer) => {
          if (answer.length < KEPT) answer += piece.toString();
        });
        const judge = (): void => {
          const { statusCode = 0 } = response;
          resolve(statusCode === 500 || answer.includes('"code":"internal"') ? `${statusCode} ${answer}` : null);
        };
        response.once('close', judge);
      },
    );
    outgoing.on('error', (error) => resolve(error.message === NO_ANSWER ? NO_ANSWER : null));
    outgoing.setTimeout(PATIENCE_MS, () => outgoing.destroy(new Error(NO_ANSWER)));
    if (abortAfterMs !== undefined) setTimeout(() => outgoing.destroy(new Error('aborted')), abortAfterMs);
    outgoing.end(body);
  });
  if (found === null) return [];
  return [`${found.slice(0, 300)} came for ${method} ${path.slice(0, 300)} ${String(body).slice(0, 300)}`];
}
