import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, type LiveSite, openAccount, publishSite } from '../../support/api-account.ts';
import { type RealApp, startRealApp } from '../../support/real-app.ts';
import { IS_FULL } from '../../support/size.ts';
import { startGithub } from '../../support/standins/github-pages/index.ts';
import { SITES_DOMAIN as GITHUB_SITES, OWNER } from '../../support/standins/github-pages/state.ts';
import { startHeroku } from '../../support/standins/heroku/index.ts';
import { ZONE as HEROKU_SITES } from '../../support/standins/heroku/state.ts';
import { startNetlify } from '../../support/standins/netlify/index.ts';
import { SITES_DOMAIN as RENDER_SITES, startRender } from '../../support/standins/render/index.ts';
import { startStripe } from '../../support/standins/stripe/index.ts';
import { SECRET_KEY, WEBHOOK_SECRET } from '../../support/standins/stripe/secrets.ts';
import { startVercel } from '../../support/standins/vercel/index.ts';
import { type LyingAuthority, startLyingAuthority } from './lying-authority.ts';
import { type LyingNameServer, startLyingNameServer } from './lying-name-server.ts';
import { type LyingProxy, startLyingProxy } from './lying-proxy.ts';
import { type LyingUpdateServer, startLyingUpdateServer } from './lying-update-server.ts';
import { type OwnIds, ownIds, proveDomain } from './own-ids.ts';
import { type PlayedPowerDns, startPlayedPowerDns } from './played-powerdns.ts';
import { readSurface, type Surface } from './surface.ts';
import { openUploadSlots, type UploadSlots } from './upload-slots.ts';

export const SITE_TEXT = 'Still here';
/** Accounts that call procedures, each at most 600 times a minute; and accounts that upload, each in two places. */
const CALLERS = IS_FULL ? 3 : 2;
const UPLOADERS = 2;

/** The metrics that the process under attack reports (metrics.mjs). */
export type ProcessMetrics = {
  pid: number;
  p99Ms: number;
  maxMs: number;
  /** The heap without the contents of buffers, in which the built-in host holds files. */
  heapBytes: number;
  bufferBytes: number;
  ports: number[];
};

export type PlayedPlatform = 'netlify' | 'vercel' | 'github-pages' | 'render' | 'heroku';
/** The stand-in of a platform, and the proxy by which the app comes to it. */
export type PlayedApi = AsyncDisposable & {
  proxy: LyingProxy;
  port: number;
  admit(token: string): void;
  apiUrl: string;
  siteOf(slug: string): { host: string; path: string };
};

/** An account that calls procedures, with ids of its own. */
export type Caller = Account & { own: OwnIds };

/** A running app with what attackers own in it, and the site of somebody else that has to stay live. */
export type AttackedApp = Surface & {
  app: RealApp;
  platforms: Record<PlayedPlatform, PlayedApi>;
  nameServer: LyingNameServer;
  /** A person's own server, and the proxy by which the app comes to it. */
  dnsProvider: PlayedPowerDns & { proxy: LyingProxy };
  /** Another person's own, for dynamic updates. */
  updateServer: LyingUpdateServer;
  /** Takes the money. */
  stripe: Awaited<ReturnType<typeof startStripe>>;
  /** Signs for all domains. */
  authority: LyingAuthority;
  site: LiveSite;
  /** Proved, with a certificate, and led to the site. */
  domain: string;
  tlsPort: number;
  callers: readonly Caller[];
  uploadSlots: UploadSlots;
  /** Collects first; the delays are those since the reading before. */
  readMetrics(): Promise<ProcessMetrics>;
};

/** Starts the built product in a process that can be measured from inside. */
export async function startAttackedApp(): Promise<AttackedApp> {
  const socketPath = join(tmpdir(), `fairlead-metrics-${process.pid}.sock`);
  const platforms = await startPlatforms();
  const nameServer = await startLyingNameServer();
  const dnsProvider = await behindProxy(await startPlayedPowerDns());
  const authority = await startLyingAuthority();
  const updateServer = await startLyingUpdateServer();
  const stripe = await startStripe({ now: () => new Date() });
  const app = await startRealApp(
    {
      ...{ METRICS_SOCKET: socketPath, STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
      ...{ STRIPE_API_URL: stripe.apiUrl, ...egressTo(platforms), ...askOnly(nameServer), ...authority.env },
    },
    [...['--expose-gc', '--import', './tests/attack/support/metrics.mjs'], 'dist/server/main.js'],
  );
  const owner = await openAccount(app.url, 'owner');
  const site = await publishSite(owner, 'Probed', { 'index.html': SITE_TEXT, 'app.js': 'let a;' });
  const domain = 'probed.test';
  await proveDomain({ nameServer }, owner, { deploymentId: site.deploymentId, name: domain });
  const accounts = await openAccounts(app.url, 'caller', CALLERS);
  const callers = await Promise.all(
    accounts.map(async (account) => ({
      ...account,
      own: await ownIds({ app, nameServer, dnsProvider, stripe }, account),
    })),
  );
  const uploadSlots = await openUploadSlots(await openAccounts(app.url, 'uploader', UPLOADERS));
  return {
    app,
    platforms,
    nameServer,
    dnsProvider,
    updateServer,
    stripe,
    authority,
    site,
    domain,
    tlsPort: Number(app.env.SITES_TLS_PORT),
    callers,
    uploadSlots,
    ...(await readSurface()),
    readMetrics: () => readMetrics(socketPath),
  };
}

/** Each says where visitors find the site of a name, which is asked there and not of its API. */
async function startPlatforms(): Promise<AttackedApp['platforms']> {
  const [github, heroku] = [await startGithub(), await startHeroku()];
  const below = (domain: string) => (slug: string) => ({ host: `${slug}.${domain}`, path: '/' });
  const hostAtHeroku = (slug: string) => [...heroku.state.apps.values()].find(({ name }) => name === slug)?.host;
  const played = async <Played extends Omit<PlayedApi, 'proxy' | 'siteOf'>>(
    standIn: Played,
    siteOf: PlayedApi['siteOf'],
  ): Promise<PlayedApi> => ({ ...(await behindProxy(standIn)), siteOf });
  return {
    netlify: await played(await startNetlify(), below('netlify.localhost')),
    vercel: await played(await startVercel(), below('vercel.localhost')),
    'github-pages': await played(github, (slug) => ({ host: `${OWNER}.${GITHUB_SITES}`, path: `/${slug}/` })),
    render: await played(await startRender(github.state), below(RENDER_SITES)),
    heroku: await played(heroku, (slug) => below(HEROKU_SITES)(hostAtHeroku(slug) ?? slug)),
  };
}

async function behindProxy<Played extends AsyncDisposable & { port: number }>(
  standIn: Played,
): Promise<Played & { proxy: LyingProxy }> {
  const proxy = await startLyingProxy(standIn);
  return {
    ...standIn,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await standIn[Symbol.asyncDispose]();
    },
  };
}

/**
 * No request of the attacked app leaves this machine: all platforms with an API are played.
 * One address of this machine may be gone to, and the others not, as in a network where the platform is outside.
 */
function egressTo(platforms: AttackedApp['platforms']): NodeJS.ProcessEnv {
  return {
    EGRESS_ALLOW: '127.0.0.1/32',
    NETLIFY_API_URL: byProxy(platforms.netlify),
    VERCEL_API_URL: byProxy(platforms.vercel),
    GITHUB_API_URL: byProxy(platforms['github-pages']),
    RENDER_API_URL: byProxy(platforms.render),
    HEROKU_API_URL: byProxy(platforms.heroku),
    ...Object.fromEntries(
      ['NETLIFY', 'VERCEL', 'GITHUB', 'HEROKU'].flatMap((name) => [
        [`${name}_CLIENT_ID`, 'fairlead'],
        [`${name}_CLIENT_SECRET`, 'secret'],
      ]),
    ),
  };
}

function byProxy({ apiUrl, port, proxy }: PlayedApi): string {
  return apiUrl.replace(`:${port}`, `:${proxy.port}`);
}

/** No other name server is asked, of this network or outside. */
function askOnly({ port }: LyingNameServer): NodeJS.ProcessEnv {
  return { DNS_RESOLVERS: `127.0.0.1:${port}`, DNS_AUTHORITY_PORT: String(port), SITES_ADDRESSES: '192.0.2.10' };
}

export async function openAccounts(url: string, name: string, count: number): Promise<Account[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => openAccount(url, `${name} ${number}`)));
}

async function readMetrics(socketPath: string): Promise<ProcessMetrics> {
  return JSON.parse(await text(connect(socketPath)));
}
