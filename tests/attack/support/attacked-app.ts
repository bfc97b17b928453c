import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, openAccount, type Publication, publishSite } from '../../support/api-account.ts';
import { type RealApp, startRealApp } from '../../support/real-app.ts';
import { startNetlify } from '../../support/standins/netlify/index.ts';
import { readSurface, type Surface } from './surface.ts';
import { makeWorkplaces, type Workplaces } from './workplaces.ts';

export const SITE_TEXT = 'Still here';
/** Those who call procedures, each at most 600 times a minute; and those who upload, each in two places. */
const CALLERS = 3;
const UPLOADERS = 2;

/** What the process under attack says of itself (gauge.mjs). */
export type Gauge = {
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
  workplaces: Workplaces;
  /** Collects first; the delays are those since the reading before. */
  readGauge(): Promise<Gauge>;
};

/** Starts the built product in a process that can be measured from inside. */
export async function startAttackedApp(): Promise<AttackedApp> {
  const socketPath = join(tmpdir(), `fairlead-gauge-${process.pid}.sock`);
  const platform = await startNetlify();
  const app = await startRealApp({ GAUGE_SOCKET: socketPath, ...egressTo(platform) }, [
    ...['--expose-gc', '--import', './tests/attack/support/gauge.mjs'],
    'dist/server/main.js',
  ]);
  const owner = await openAccount(app.url, 'bystander');
  const site = await publishSite(owner, 'Bystander', { 'index.html': SITE_TEXT, 'app.js': 'let a;' });
  const callers = await openAccounts(app.url, 'caller', CALLERS);
  const workplaces = await makeWorkplaces(await openAccounts(app.url, 'uploader', UPLOADERS));
  return { app, platform, site, callers, workplaces, ...(await readSurface()), readGauge: () => readGauge(socketPath) };
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

async function readGauge(socketPath: string): Promise<Gauge> {
  return JSON.parse(await text(connect(socketPath)));
}
