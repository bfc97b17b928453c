import type { RealApp } from './real-app.ts';

export type KeptApp = {
  /** Started at the first need of it, and again after a test that has ended it. */
  running(): Promise<RealApp>;
  end(): Promise<void>;
};

/** One app for the tests of a file that need nothing but that it runs. */
export function keepApp(start: () => Promise<RealApp>): KeptApp {
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
