import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page, Request } from '@playwright/test';
import { paths } from '../../src/lib/paths/paths.ts';
import { seenBefore } from '../specification/accounts.ts';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { IS_FULL } from '../support/size.ts';
import { brotliKb, readWebManifest, scriptsOf, WEB_ENTRY } from '../support/web-build.ts';
import { expect, newCredentials, signIn, test } from './fixtures.ts';

/**
 * The JavaScript of a first load as a browser fetches it until the screen rests, what is imported while it runs included,
 * against an app of the same libraries with one login form, built by the same Vite. Counts of bytes are exact: each limit
 * is close to what its screen weighs.
 */
const LANDING_MAX = 0.633;
const PUBLIC_MAX = 0.709;
/** The form of a public screen brings what forms are made of, and the client that sends it. */
const PUBLIC_FORM_MAX = 0.989;
/** Each screen of the app has the days of a trial and the sites that are down in its frame. */
const APP_MAX = 1.17;
/** A deployment shows each platform that it is at, with the log of one and what another waits for, its domains, its health and a way back. */
const DEPLOYMENT_MAX = 1.23;
/** A form that is on the screen from the start brings its rules as well, those of each platform's options among them. */
const FORM_MAX = 1.38;

/** A text is open from the start: what edits it comes along, and the grammar of its kind, on this route alone. */
const EDITOR_MAX = 2;

const SLACK = 0.06;

const LIMITS: Partial<Record<string, number>> = {
  [paths.home]: LANDING_MAX,
  [paths.about]: PUBLIC_FORM_MAX,
  [paths.login]: PUBLIC_FORM_MAX,
  [paths.register]: PUBLIC_FORM_MAX,
  [paths.auth]: PUBLIC_FORM_MAX,
  [paths.authReset]: PUBLIC_FORM_MAX,
  [paths.authConfirm]: PUBLIC_FORM_MAX,
  [paths.dashboard]: 1.07,
  [paths.deployment]: DEPLOYMENT_MAX,
  [paths.release]: DEPLOYMENT_MAX,
  [paths.deploymentEditor]: EDITOR_MAX,
  [paths.websocketDemo]: FORM_MAX,
  [paths.deploymentSetup]: FORM_MAX,
  [paths.deployNetlify]: FORM_MAX,
  [paths.deploy]: FORM_MAX,
  [paths.newDeployment]: FORM_MAX,
  [paths.quickDeploy]: FORM_MAX,
  [paths.guidedDeployment]: FORM_MAX,
  [paths.unifiedDeployment]: FORM_MAX,
  [paths.settings]: FORM_MAX,
  [paths.account]: FORM_MAX,
  [paths.licenseManagement]: FORM_MAX,
};

const WEB_ROOT = fileURLToPath(new URL('../../dist/web/', import.meta.url));
const REFERENCE_ROOT = fileURLToPath(new URL('./reference/', import.meta.url));

let building: Promise<number> | undefined;

/** Returns the size of the reference app; it is built once for both tests. */
function referenceKb(): Promise<number> {
  building ??= buildReference();
  return building;
}

async function buildReference(): Promise<number> {
  // Here and not above, because a program that lists the tests would load it as well.
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  const outDir = await mkdtemp(join(tmpdir(), 'fairlead-reference-'));
  try {
    await build({
      configFile: false,
      root: REFERENCE_ROOT,
      logLevel: 'error',
      plugins: [react()],
      build: { outDir, emptyOutDir: true, manifest: true, modulePreload: { polyfill: false } },
    });
    return await brotliKb(outDir, scriptsOf(await readWebManifest(outDir), [WEB_ENTRY]));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Loads the screen anew and returns what its scripts weigh. */
async function firstLoadKb(page: Page, path: string): Promise<number> {
  const scripts = new Set<string>();
  const note = (request: Request): void => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js') && pathname.startsWith('/assets/')) scripts.add(pathname);
  };
  page.on('request', note);
  await page.goto(path, { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  return brotliKb(WEB_ROOT, scripts);
}

/**
 * Each screen is waited for until the network rests, so several contexts are opened beside each other: of one, only the
 * page in front draws frames. A page of its own for each screen would be a process of its own.
 */
async function firstLoads(contexts: readonly BrowserContext[], screens: readonly Screen[]): Promise<Load[]> {
  const queue = screens.values();
  const loads: Load[] = [];
  const work = async (context: BrowserContext): Promise<void> => {
    const page = await context.newPage();
    for (const screen of queue) loads.push({ ...screen, kb: await firstLoadKb(page, screen.path) });
  };
  await Promise.all(contexts.map(work));
  return loads;
}

type Screen = { pattern: string; path: string };
type Load = Screen & { kb: number };

async function expectWithin(loads: readonly Load[], limitElsewhere: number): Promise<void> {
  const reference = await referenceKb();
  const rows = loads.map(({ pattern, kb }) => {
    return { path: pattern, kb, share: kb / reference, limit: LIMITS[pattern] ?? limitElsewhere };
  });
  const table = rows.map(
    ({ path, kb, share, limit }) =>
      `${path.padEnd(44)} ${kb.toFixed(1).padStart(6)} KB  ${share.toFixed(2)} of ${limit}`,
  );
  process.stdout.write(`Reference app ${reference.toFixed(1)} KB\n${table.join('\n')}\n`);
  expect(rows.filter(({ share, limit }) => share > limit)).toEqual([]);
  // A limit with more room than this would let its heaviest screen grow unseen.
  for (const limit of new Set(rows.map((row) => row.limit))) {
    const heaviest = Math.max(...rows.filter((row) => row.limit === limit).map(({ share }) => share));
    expect(limit - heaviest, `the limit ${limit}`).toBeLessThan(SLACK);
  }
}

const AT_ONCE = 3;
/** Other addresses of a screen that is weighed already, or the same screen with other words. */
const SAME: readonly string[] = [
  ...[paths.login, paths.register, paths.deploy],
  ...[paths.subscriptionPrivacy, paths.subscriptionRefunds],
];
const ALL: readonly string[] = Object.values(paths).filter((path) => IS_FULL || !SAME.includes(path));

test('the first load of each public screen stays within its share of the reference app', async ({ browser, app }) => {
  const contexts = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const context = await browser.newContext({ baseURL: app.url });
      await seenBefore(context, app.url);
      return context;
    }),
  );
  const screens = ALL.filter((pattern) => PUBLIC.includes(pattern)).map((pattern) => ({ pattern, path: pattern }));
  const loads = await firstLoads(contexts, screens);
  await Promise.all(contexts.map((context) => context.close()));
  await expectWithin(loads, PUBLIC_MAX);
});

test('the first load of each screen of the app stays within its share of the reference app', async ({
  browser,
  app,
}) => {
  const { username, password } = newCredentials();
  const account = await openAccount(app.url, username, password);
  const { deploymentId, number } = await publishSite(account, 'harbour', { 'index.html': '<h1>Harbour</h1>' });
  const domain = await clientOf(account).domains.add.mutate({ deploymentId, name: 'harbour.test' });
  const { url: checkout } = await clientOf(account).payments.checkout.mutate({ plan: 'PRO' });
  const contexts = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const context = await browser.newContext({ baseURL: app.url });
      // A session each: they may be refreshed at the same moment.
      const page = await context.newPage();
      await signIn(page, { username, password });
      await page.close();
      return context;
    }),
  );
  const screens = ALL.filter((pattern) => !PUBLIC.includes(pattern)).map((pattern) => ({
    pattern,
    path: pattern
      .replace(':deploymentId', deploymentId)
      .replace(':domainId', domain.id)
      .replace(':paymentId', checkout.slice(checkout.lastIndexOf('/') + 1))
      .replace(':number', String(number))
      .replace(':platform', 'netlify'),
  }));
  const loads = await firstLoads(contexts, screens);
  await Promise.all(contexts.map((context) => context.close()));
  await expectWithin(loads, APP_MAX);
});

const PUBLIC: readonly string[] = [
  paths.home,
  paths.about,
  paths.login,
  paths.register,
  paths.auth,
  paths.authReset,
  paths.authConfirm,
  paths.authStopEmailChange,
  paths.authDeleteAccount,
  paths.disclaimer,
  paths.betaWelcome,
  paths.pricing,
  paths.subscriptionPricing,
  paths.subscriptionCancel,
  paths.faq,
  paths.help,
];
