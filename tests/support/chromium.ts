import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';

const run = promisify(execFile);
/** The one without windows, profiles and an address bar: the same engine, and a third less CPU for each page. */
const SHELL = 'chromium-headless-shell';
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** A download that a closed network swallows must not hang the tests. */
const DOWNLOAD_TIMEOUT_MS = 180_000;

/**
 * The last `--disable-features` of a command line is the one that counts, so Playwright's own stand here once more (its
 * `chromiumSwitches.ts`). The last two are pages of the address bar that Chromium 156 draws for each new window, seen or
 * not: without them a new context takes 60 % less CPU.
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/**
 * The options that a headless Chromium needs on a server without a sandbox of its own, and without calls to its maker.
 */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  // Without one, the processor plays it: drawing without that detour costs less.
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No page of a test lives long enough to repay what its optimising compiler costs.
  '--js-flags=--no-opt',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
}

async function attempt(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    console.log(`Chromium: ${what}`);
    await work();
  } catch (error) {
    console.log(
      `Chromium: ${what} did not work (${error instanceof Error ? error.message.split('\n')[0] : 'unknown'}).`,
    );
  }
}

/**
 * The path of a Chromium for the browser tests: one on the PATH, else Playwright's own download, else the system's
 * package where this user may install one.
 * Throws an error that says what to install when all three fail.
 */
export async function findChromium(): Promise<string> {
  const found = onPath() ?? (existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined);
  if (found !== undefined) return found;

  await attempt('downloading the one that Playwright brings', () =>
    run(process.execPath, ['node_modules/@playwright/test/cli.js', 'install', 'chromium'], {
      timeout: DOWNLOAD_TIMEOUT_MS,
    }),
  );
  if (existsSync(chromium.executablePath())) return chromium.executablePath();

  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await attempt('installing the package of the system', async () => {
      await run('apt-get', ['update'], { timeout: DOWNLOAD_TIMEOUT_MS });
      await run('apt-get', ['install', '-y', '--no-install-recommends', SHELL, 'fonts-noto-color-emoji'], {
        timeout: 2 * DOWNLOAD_TIMEOUT_MS,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    });
  }
  const installed = onPath();
  if (installed !== undefined) return installed;
  throw new Error(
    `The browser tests need Chromium, and none was found or could be fetched: install the package "${SHELL}" or "chromium" of your system, or run "npx playwright install chromium".`,
  );
}
