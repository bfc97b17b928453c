import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { SecureContext, TLSSocket } from 'node:tls';
import { catchErrors } from './catch-errors.ts';
import { createHttp2Sessions, type Http2Options, type Http2Sessions } from './http2.ts';

export type TlsOptions = {
  /** Returns the certificate for a server name, or undefined, which ends the handshake; rejects where it cannot be read. */
  contextFor(name: string): SecureContext | undefined | Promise<SecureContext | undefined>;
  /** Returns 48 bytes that seal session tickets: the same in all processes, and others from time to time. */
  ticketKeys(): Buffer;
} & Pick<Http2Options, 'handle' | 'onError'>;

/** A handshake that takes longer is an attack or a broken line. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The keys of session tickets are asked for so often. */
const TICKET_KEYS_EVERY_MS = 60_000;

/**
 * Creates an HTTP server behind TLS 1.2 and 1.3. It has no certificate of its own: a name that `contextFor` does not know, and a
 * client that names none, gets an alert and learns nothing.
 */
export function createTlsServer(settings: ServerOptions, onRequest: RequestListener, options: TlsOptions): Server {
  const server = createServer(
    {
      ...settings,
      minVersion: 'TLSv1.2',
      honorCipherOrder: true,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ALPNProtocols: ['h2', 'http/1.1'],
      ticketKeys: options.ticketKeys(),
      SNICallback: (name, done) => {
        catchErrors(
          () => {
            const context = options.contextFor(name);
            if (!(context instanceof Promise)) return done(null, context);
            return context.then((found) => done(null, found));
          },
          // Cut off, so that the visitor comes again: an alert would say that there is no such name.
          (error) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    },
    onRequest,
  );
  let ticketKeys = options.ticketKeys();
  const rotating = setInterval(() => {
    const next = options.ticketKeys();
    if (next.equals(ticketKeys)) return;
    server.setTicketKeys(next);
    ticketKeys = next;
  }, TICKET_KEYS_EVERY_MS).unref();
  server.once('close', () => clearInterval(rotating));
  return server;
}

/** Takes the connections that have agreed to speak HTTP/2 out of the server's own hands. */
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
