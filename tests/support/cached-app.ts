import { afterAll, afterEach, beforeAll } from 'vitest';
import type { RealApp } from './real-app.ts';

export type CachedApp = {
  /** Returns the app, and starts it again after a test that has ended it. */
  running(): Promise<RealApp>;
  end(): Promise<void>;
};

/**
 * Returns one app that all tests of a file share which need a running app and nothing more. It ends with the file, and with
 * a test that fails: tried again in the same app, that would find its own accounts there.
 */
export function cacheApp(start: () => Promise<RealApp>): CachedApp {
  let app: RealApp | undefined;
  async function end(): Promise<void> {
    await app?.[Symbol.asyncDispose]();
    app = undefined;
  }
  // Its first start beside other tests is no part of the time of the one that comes first.
  beforeAll(async () => {
    app = await start();
  });
  afterEach(({ task }) => (task.result?.state === 'fail' ? end() : undefined));
  afterAll(end);
  return {
    async running() {
      if (app === undefined) app = await start();
      else if (app.child.exitCode !== null || app.child.signalCode !== null) await app.restart();
      return app;
    },
    end,
  };
}
