import type { RealApp } from './real-app.ts';

export type CachedApp = {
  /** Starts it when it is first asked for, and again after a test that has ended it. */
  running(): Promise<RealApp>;
  end(): Promise<void>;
};

/** Returns one app that all tests of a file share which need a running app and nothing more. */
export function cacheApp(start: () => Promise<RealApp>): CachedApp {
  let app: RealApp | undefined;
  return {
    async running() {
      if (app === undefined) app = await start();
      else if (app.child.exitCode !== null || app.child.signalCode !== null) await app.restart();
      return app;
    },
    async end() {
      await app?.[Symbol.asyncDispose]();
      app = undefined;
    },
  };
}
