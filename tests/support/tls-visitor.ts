import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { closeOf } from './close-of.ts';

export type TlsAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

/** A TLS connection to 127.0.0.1 under this server name (null names none); rejects with the code of a failed handshake. */
export async function handshake(
  port: number,
  servername: string | null,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ...(servername !== null && { servername }),
    ...options,
  });
  try {
    await once(socket, 'secureConnect');
  } catch (error) {
    socket.destroy();
    throw new Error(error instanceof Error && 'code' in error ? String(error.code) : String(error));
  }
  return socket.on('error', () => undefined);
}

/** One request over HTTP/1.1 and TLS on a connection of its own. */
export async function askHttp1(
  port: number,
  host: string,
  path: string,
  options: ConnectionOptions = {},
): Promise<string> {
  const socket = await handshake(port, host, { ALPNProtocols: ['http/1.1'], ...options });
  let received = '';
  socket.on('data', (piece: Buffer) => {
    received += piece.toString('latin1');
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await closeOf(socket);
  return received;
}

/** A session over HTTP/2, on a connection of its own. */
export async function openHttp2(
  port: number,
  host: string,
  options: ConnectionOptions = {},
): Promise<ClientHttp2Session> {
  const socket = await handshake(port, host, { ALPNProtocols: ['h2'], ...options });
  const session = connectHttp2(`https://${host}`, { createConnection: () => socket });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  return session;
}

/** One request of a session; rejects when its stream is reset. */
export function askHttp2(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string | string[]> = {},
): Promise<TlsAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ...headers });
    let answered: IncomingHttpHeaders = {};
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (found) => {
      answered = found;
    });
    stream.on('data', (piece: string) => {
      text += piece;
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (stream.rstCode === 0) resolve({ status: Number(answered[':status']), headers: answered, text });
      else reject(new Error(`reset with ${stream.rstCode}`));
    });
  });
}
