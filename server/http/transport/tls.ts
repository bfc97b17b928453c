import { randomBytes } from 'node:crypto';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer, type Server as TlsServer } from 'node:https';
import type { SecureContext, TLSSocket } from 'node:tls';
import { catchErrors } from './catch-errors.ts';
import { createHttp2Sessions, type Http2Options, type Http2Sessions } from './http2.ts';

export type TlsOptions = {
  /** Returns the certificate for a server name, or undefined to end the handshake; rejects when it cannot be read. */
  contextFor(name: string): SecureContext | undefined | Promise<SecureContext | undefined>;
  /** Returns the present keys of session tickets; without them each process has its own. */
  ticketKeys?: (() => Promise<Buffer>) | undefined;
  /** Learns that the present keys could not be read. */
  onTicketError?: ((error: unknown) => void) | undefined;
} & Pick<Http2Options, 'handle' | 'onError'>;

/** A handshake that takes longer is an attack or a broken connection. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** All processes change to new keys within this time; a ticket of the others means a whole handshake meanwhile. */
const TICKETS_MS = 5 * 60_000;
const TICKET_BYTES = 48;
/** A process that has read no keys for 12 hours, their period, changes to keys of its own. */
const FAILURES_MAX = 144;
/** The tickets of another process hold only in the same context; Node would name it by how the process was started. */
const SESSIONS = 'sites';

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
      sessionIdContext: SESSIONS,
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
  if (options.ticketKeys !== undefined) shareTickets(server, options.ticketKeys, options.onTicketError);
  return server;
}

/** Keeps the keys of before while others cannot be read; after FAILURES_MAX failures random ones take their place. */
function shareTickets(server: TlsServer, keys: () => Promise<Buffer>, onError: TlsOptions['onTicketError']): void {
  let failures = 0;
  const share = () =>
    keys()
      .then((found) => {
        server.setTicketKeys(found);
        failures = 0;
      })
      .catch((error: unknown) => {
        failures += 1;
        if (failures % FAILURES_MAX === 0) server.setTicketKeys(randomBytes(TICKET_BYTES));
        onError?.(error);
      });
  server.once('listening', share);
  const rotating = setInterval(share, TICKETS_MS).unref();
  server.once('close', () => clearInterval(rotating));
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
