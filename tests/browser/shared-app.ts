import type { RealApp } from '../support/real-app.ts';

/** The app that all workers use side by side; none of them may stop its process or its database. */
export type SharedApp = Pick<RealApp, 'url' | 'sitesPort' | 'dataDir' | 'env'>;

export const APP_VARIABLE = 'FAIRLEAD_BROWSER_APP';

/** Returns the app that was started for this run (global-setup.ts). */
export function readSharedApp(): SharedApp {
  const shared: SharedApp = JSON.parse(process.env[APP_VARIABLE] ?? 'null');
  return { ...shared, env: { ...process.env, ...shared.env } };
}
