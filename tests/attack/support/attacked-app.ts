import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, openAccount, type Publication, publishSite } from '../../support/api-account.ts';
import { type RealApp, startRealApp } from '../../support/real-app.ts';
import { startNetlify } from '../../support/standins/netlify/index.ts';
import { readSurface, type Surface } from './surface.ts';
import { openUploadSlots, type UploadSlots } from './upload-slots.ts';

export const SITE_TEXT = 'Still here';
/** Those who call procedures, each at most 600 times a minute; and those who upload, each in two places. */
const CALLERS = 3;
const UPLOADERS = 2;

/** What the process under attack says of itself (metrics.mjs). */
export type ProcessMetrics = {
  pid: number;
  p99Ms: number;
  maxMs: number;
  /** Without the contents of buffers, which the built-in host keeps files in. */
  heapBytes: number;
  bufferBytes: number;
  ports: number[];
};

/** A running app with what attackers own in it, and the site of somebody else that has to stay live. */
export type AttackedApp = Surface & {
  app: RealApp;
  platform: AsyncDisposable;
  site: Publication;
  callers: readonly Account[];
  uploadSlots: UploadSlots;
  /** Collects first; the delays are those since the reading before. */
  readMetrics(): Promise<ProcessMetrics>;
};

/** Starts the built product in a process that can be measured from inside. */
export async function startAttackedApp(): Promise<AttackedApp> {
  const socketPath = join(tmpdir(), `fairlead-metrics-${process.pid}.sock`);
  const platform = await startNetlify();
  const app = await startRealApp({ METRICS_SOCKET: socketPath, ...egressTo(platform) }, [
    ...['--expose-gc', '--import', './tests/attack/support/metrics.mjs'],
    'dist/server/main.js',
  ]);
  const owner = await openAccount(app.url, 'owner');
  const site = await publishSite(owner, 'Probed', { 'index.html': SITE_TEXT, 'app.js': 'let a;' });
  const callers = await openAccounts(app.url, 'caller', CALLERS);
  const uploadSlots = await openUploadSlots(await openAccounts(app.url, 'uploader', UPLOADERS));
  return {
    app,
    platform,
    site,
    callers,
    uploadSlots,
    ...(await readSurface()),
    readMetrics: () => readMetrics(socketPath),
  };
}

/** No request of the attacked app leaves this machine: one platform is played, and at the others' addresses is nothing. */
function egressTo({ apiUrl, port }: { apiUrl: string; port: number }): NodeJS.ProcessEnv {
  const nothing = `http://127.0.0.1:${port}/nothing`;
  return {
    EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    NETLIFY_API_URL: apiUrl,
    VERCEL_API_URL: nothing,
    GITHUB_API_URL: nothing,
    RENDER_API_URL: nothing,
    HEROKU_API_URL: nothing,
  };
}

async function openAccounts(url: string, name: string, count: number): Promise<Account[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => openAccount(url, `${name} ${number}`)));
}

async function readMetrics(socketPath: string): Promise<ProcessMetrics> {
  return JSON.parse(await text(connect(socketPath)));
}
