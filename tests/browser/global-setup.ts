import { startRealApp } from '../support/real-app.ts';
import { APP_VARIABLE, type SharedApp } from './shared-app.ts';

/** Starts the one app of a run, with its database, and tells the workers of it by the environment. */
export default async function startSharedApp(): Promise<() => Promise<void>> {
  const app = await startRealApp();
  const { url, sitesPort, dataDir } = app;
  const own = Object.entries(app.env).filter(([name, value]) => process.env[name] !== value);
  const shared: SharedApp = { url, sitesPort, dataDir, env: Object.fromEntries(own) };
  process.env[APP_VARIABLE] = JSON.stringify(shared);
  return async () => {
    const { exitCode, signalCode } = app.child;
    const hasEnded = exitCode !== null || signalCode !== null;
    await app[Symbol.asyncDispose]();
    if (hasEnded) throw new Error(`The app of the run ended with ${exitCode ?? signalCode}:\n${app.output()}`);
  };
}
