import { randomBytes } from 'node:crypto';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContext, TLSSocket } from 'node:tls';
import { catchErrors } from './catch-errors.ts';
import { createHttp2Sessions, type Http2Options, type Http2Sessions } from './http2.ts';

export type TlsOptions = {
  /** Returns the certificate for a server name, or undefined to end the handshake; rejects when it cannot be read. */
  contextFor(name: string): SecureContext | undefined | Promise<SecureContext | undefined>;
} & Pick<Http2Options, 'handle' | 'onError'>;

/** A handshake that takes longer is an attack or a broken connection. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * For this time a client comes back by its session ticket without a whole handshake. The key that seals tickets is
 * random and in memory alone: a key that could be made again would open recorded connections (RFC 5077, section 4).
 */
const TICKETS_MS = 12 * 60 * 60_000;
/** Node takes a name, a key that encrypts and one that signs, 16 bytes each. */
const TICKET_KEYS_BYTES = 48;

/**
 * Creates an HTTP server behind TLS 1.2 and 1.3. It has no default certificate: a client that names no server, or one
 * that `contextFor` does not know, gets an alert and learns nothing.
 */
export function createTlsServer(settings: ServerOptions, onRequest: RequestListener, options: TlsOptions): Server {
  const server = createServer(
    {
      ...settings,
      minVersion: 'TLSv1.2',
      honorCipherOrder: true,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: (name, done) => {
        catchErrors(
          () => {
            const context = options.contextFor(name);
            if (!(context instanceof Promise)) return done(null, context);
            return context.then((found) => done(null, found));
          },
          // The connection is cut, so that the visitor tries again: an alert would say that there is no such name.
          (error) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    },
    onRequest,
  );
  const rotating = setInterval(() => server.setTicketKeys(randomBytes(TICKET_KEYS_BYTES)), TICKETS_MS).unref();
  server.once('close', () => clearInterval(rotating));
  return server;
}

/** Takes over the connections that have agreed to speak HTTP/2. */
export function serveHttp2(server: Server, options: Http2Options): Http2Sessions {
  const sessions = createHttp2Sessions(options);
  const speakHttp1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    catchErrors(
      () => {
        if (socket.alpnProtocol === 'h2') sessions.accept(socket);
        else for (const speak of speakHttp1) speak.call(server, socket);
      },
      () => socket.destroy(),
    );
  });
  return sessions;
}
