import { createHttpServer, type HttpServerOptions } from '../../server/http/server.ts';
import { createTestApp, type TestApp } from './app.ts';
import { share } from './shared.ts';

export type Listening = Awaited<ReturnType<typeof listen>>;

const READY = { isReady: true, parts: { database: 'ok', store: 'ok', worker: 'ok' } } as const;

/**
 * The application's real listener on a free port of its own, with its change feed running; `origin` is its public
 * address. Dispose of it with `await using`, before the application.
 */
export async function listen(
  app: TestApp,
  options: Partial<Pick<HttpServerOptions, 'webRoot' | 'socketTimes' | 'timeouts'>> = {},
) {
  const { providers } = app;
  const server = createHttpServer({
    providers,
    port: 0,
    host: '127.0.0.1',
    webRoot: options.webRoot ?? app.folder,
    readiness: { check: async () => READY },
    ...(options.socketTimes !== undefined && { socketTimes: options.socketTimes }),
    ...(options.timeouts !== undefined && { timeouts: options.timeouts }),
  });
  await providers.changes.start();
  await server.start();
  const { port } = server.address;
  const origin = `http://localhost:${port}`;
  providers.addresses = { ...providers.addresses, publicUrl: origin };

  return {
    server,
    port,
    origin,
    /** The same listener by number: Node's resolver may know `localhost` by an address that nobody listens on. */
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await providers.changes.stop();
    },
  };
}

/** Returns one application with its listener for all tests of a file that only ask it something. */
export function shareApp(options: Parameters<typeof listen>[1] = {}) {
  return share(async () => {
    const app = await createTestApp();
    const listener = await listen(app, options);
    return {
      app,
      listener,
      [Symbol.asyncDispose]: async () => {
        await listener[Symbol.asyncDispose]();
        await app[Symbol.asyncDispose]();
      },
    };
  });
}
