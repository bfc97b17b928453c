import { randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chromium, type Page, type Route } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { freePort } from '../support/free-ports.ts';
import { startRealApp } from '../support/real-app.ts';
import { MANY, manyFiles, type SiteFiles, twentyPages, writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { writeZip } from '../support/zip-writer.ts';
import {
  ASKED_TOO_LATE,
  endOtherSessions,
  expect,
  logInHere,
  newcomer,
  newcomerByForms,
  registerHere,
  seeDisclaimer,
  test,
} from './fixtures.ts';
import { bodyOf, expectLive } from './publishing.ts';

function zipOf(files: SiteFiles, root = ''): Buffer {
  return writeZip(Object.entries(files).map(([path, data]) => ({ name: root + path, data, method: 8 })));
}

function isZipUpload(url: string): boolean {
  return /\/api\/uploads\/[^/]+\/zip$/.test(new URL(url).pathname);
}

/** Returns the size of the arrived parts of ZIPs that are on their way. */
async function incomingBytes(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'incoming');
  const sizes = (await readdir(folder)).map(
    async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function drop(page: Page, path: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    await cdp.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  }
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
}

/** Waits until the release is live; answers what the site says at its address. */
async function liveBody(page: Page, release = 1): Promise<string> {
  await page.waitForURL(new RegExp(`/releases/${release}$`));
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible({ timeout: 60_000 });
  return bodyOf(page, await expectLive(page));
}

/**
 * Returns the data that the browser stores for a reload: selections in its database, and how many records say that
 * their files are there.
 */
function kept(page: Page): Promise<{ selections: number; records: number; withFiles: number }> {
  return page.evaluate(async () => {
    const records = Object.keys(localStorage).filter((key) => key.startsWith('fairlead.upload.'));
    const withFiles = records.filter((key) => localStorage.getItem(key)?.includes('"hasFiles":true'));
    const isThere = (await indexedDB.databases()).some(({ name }) => name === 'fairlead-uploads');
    // Opening a database that is not there would make one without a store.
    const selections = !isThere
      ? 0
      : await new Promise<number>((resolve, reject) => {
          const opening = indexedDB.open('fairlead-uploads');
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const keys = opening.result.transaction('kept').objectStore('kept').getAllKeys();
            keys.onsuccess = () => resolve(keys.result.length);
            opening.result.close();
          };
        });
    return { selections, records: records.length, withFiles: withFiles.length };
  });
}

const NOTHING_KEPT = { selections: 0, records: 0, withFiles: 0 };

const UNKNOWN = `fla_${'0'.repeat(43)}`;

/** The requests with files: the addresses of those that the server took, of those that it refused, and those held back. */
type FilesLine = { taken: string[]; refused: string[]; letThrough(limit: number): void; letAll(): Promise<void> };

/**
 * Lets so many requests with files through to the server and holds the others back. With `isEnding` the token of the
 * second half has ended: to the server such a token is one that it does not know; when that is, no clock says.
 */
async function holdFilesAfter(page: Page, count: number, isEnding = false): Promise<FilesLine> {
  const [taken, refused, held]: [string[], string[], Route[]] = [[], [], []];
  let limit = count;
  let passed = 0;
  let ended: string | undefined;
  page.on('response', (response) => {
    if (!/\/api\/uploads\/[^/]+\/files/.test(response.url())) return;
    if (response.status() === 204) taken.push(response.url());
    if (response.status() === 401) refused.push(response.url());
  });
  await page.route('**/api/uploads/*/files**', async (route) => {
    const headers = route.request().headers();
    if (route.request().method() === 'GET') return route.continue();
    if (isEnding && passed >= count / 2) ended ??= headers.authorization;
    if (headers.authorization === ended) {
      const unknown = { authorization: `Bearer ${UNKNOWN}`, 'x-auth-token': UNKNOWN };
      return route.continue({ headers: { ...headers, ...unknown } });
    }
    if (passed >= limit) return void held.push(route);
    passed += 1;
    await route.continue();
  });
  return {
    taken,
    refused,
    letThrough: (more) => {
      limit = more;
    },
    letAll: async () => {
      limit = Number.POSITIVE_INFINITY;
      // The page that asked for some of them is gone.
      await Promise.all(held.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/** Waits until so many requests were taken, and their files are told as done. */
async function seesDone(page: Page, { taken }: FilesLine, count: number): Promise<void> {
  await expect.poll(() => taken.length).toBe(count);
  const files = taken.reduce((sum, url) => sum + (url.endsWith('/files') ? MANY.together : 1), 0);
  await expect(page.getByRole('main').getByText(new RegExp(`^${files} of ${MANY.files} files`))).toBeVisible();
}

test('a ZIP that is dropped is told; cut off by a reload it goes on with what is missing, and its finished folder alone goes live', async ({
  page,
  app,
  folder,
}) => {
  const zip = join(folder, 'harbour guide.zip');
  const source = { 'package.json': '{"devDependencies":{"vite":"8"}}', '.env': 'KEY=1', '__MACOSX/._index.html': 'x' };
  const built = { ...twentyPages('Out of a ZIP'), 'film.bin': randomBytes(3_000_000) };
  const inDist = Object.entries(built).map(([path, data]) => [`dist/${path}`, data]);
  await writeFile(zip, zipOf({ ...source, ...Object.fromEntries(inDist) }, 'harbour guide/'));
  const { size } = await stat(zip);
  await newcomer(page);
  await page.goto('/new-deployment');
  await expect(page.getByRole('button', { name: 'Choose a ZIP' })).toBeEnabled();
  await drop(page, zip);
  const summary = page.getByLabel('ZIP harbour guide');
  await expect(summary).toContainText('Private, and left out: .env');
  await page.getByRole('button', { name: 'Use dist instead' }).click();
  await expect(summary).toContainText('Static website, 24 files');
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);

  const starts: number[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (request.method() !== 'POST' || !isZipUpload(url.href)) return;
    expect(request.headers()['content-type']).toBe('application/zip');
    starts.push(Number(url.searchParams.get('from')));
  });
  const line = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
  await line.send('Network.emulateNetworkConditions', slow);
  await publish(page);
  await expect.poll(() => incomingBytes(app.dataDir)).toBeGreaterThan(500_000);
  await page.reload();
  await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  expect(await liveBody(page)).toContain('Out of a ZIP');
  expect(starts[0]).toBe(0);
  const last = starts.at(-1) ?? 0;
  expect(last, 'what had arrived was not sent again').toBeGreaterThan(500_000);
  expect(last).toBeLessThan(size);
  await expect.poll(() => incomingBytes(app.dataDir)).toBe(0);
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('an upload outlives a token that ends, a lost network, a reload and a session that ends, and sends no file twice', async ({
  page,
  app,
  folder,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  // A part of the page that comes after the first paint may be asked for just then; it is asked for again.
  complaints.allow(/net::ERR_INTERNET_DISCONNECTED|net::ERR_FAILED|WebSocket connection|dynamically imported module/);
  await writeSite(folder, manyFiles('After all of it'));
  const credentials = await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const line = await holdFilesAfter(page, 6, true);
  await publish(page);
  await seesDone(page, line, 6);
  expect(line.refused.length, 'the token that ended is refreshed').toBeGreaterThan(0);
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
  await page.context().setOffline(true);
  await expect(page.getByRole('main').getByText('Waiting for the network')).toBeVisible();
  await page.getByRole('link', { name: 'Logout' }).click();
  const question = page.getByRole('alertdialog', { name: 'Log out while files are being sent?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.context().setOffline(false);

  line.letThrough(9);
  await page.reload();
  await seesDone(page, line, 9);
  await endOtherSessions(app.url, credentials, 'Another anchor 2');
  // The socket of an ended session is closed, and the page looks whether it may come back.
  await page.waitForURL((url) => url.pathname === '/auth');
  expect(new URL(page.url()).searchParams.get('redirect')).toMatch(/^\/deployments\//);
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
  await line.letAll();
  expect(line.taken, 'there is something left to send').toHaveLength(9);

  await logInHere(page, { ...credentials, password: 'Another anchor 2' });
  // It goes on by itself.
  expect(await liveBody(page)).toContain('After all of it');
  expect(line.taken).toHaveLength(MANY.requests);
  expect(new Set(line.taken).size, 'each file went to the server once').toBe(MANY.requests);
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('a visitor’s folder survives registration and reloads in one tab alone, and is gone after a logout', async ({
  page,
  context,
  folder,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  await writeSite(folder, { 'index.html': '<h1>Dropped by a visitor</h1>', 'about.html': '<h1>About</h1>' });
  const name = `Folder ${basename(folder)}`;
  await seeDisclaimer(page);
  await page.goto('/');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByLabel(name)).toBeVisible();
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
  await page.reload();
  await expect(page.getByLabel(name)).toContainText('2 files');
  await page
    .getByRole('link', { name: /Register/ })
    .last()
    .click();
  await registerHere(page);
  await page.reload();
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/new-deployment');
  await expect(page.getByLabel(name)).toContainText('2 files');

  const other = await context.newPage();
  await other.goto('/new-deployment');
  await expect(other.getByRole('button', { name: 'Choose a folder' })).toBeEnabled();
  await expect(other.getByLabel(name)).toHaveCount(0);
  await other.close();
  await page.getByRole('link', { name: 'Logout' }).click();
  await page.waitForURL('**/login');
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
  await page.getByRole('tab', { name: 'Register' }).click();
  await registerHere(page);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  // What waited would have led to New Deployment.
  await page.waitForURL('**/dashboard');
});

// It needs an app and a browser of its own; what a page does without `crypto.subtle` is held by tests/src/publish.test.ts.
if (IS_FULL) {
  test('without a secure context a reload in mid-upload goes on as well', async ({ folder }) => {
    await writeSite(folder, manyFiles('Over plain http'));
    const port = await freePort();
    const url = `http://fairlead.test:${port}`;
    await using app = await startRealApp({ PORT: String(port), PUBLIC_URL: url, HOST: '127.0.0.1' });
    const browser = await launchFor('fairlead.test');
    try {
      const page = await (await browser.newContext()).newPage();
      await newcomerByForms(page, url);
      await page.goto(`${url}/new-deployment`);
      expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
      await page.getByLabel('Folder to publish').setInputFiles(folder);
      await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();
      await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
      await page.reload();
      await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();

      const line = await holdFilesAfter(page, 6);
      await publish(page);
      await seesDone(page, line, 6);
      line.letThrough(MANY.requests);
      await page.reload();
      expect(await liveBody(page)).toContain('Over plain http');
      expect(new Set(line.taken).size, 'each file went to the server once').toBe(line.taken.length);
    } finally {
      await browser.close();
      expect(app.output()).not.toContain('unexpected');
    }
  });
}

/** A browser to which `host` is this machine, though it is no name of it. */
async function launchFor(host: string) {
  const executablePath = process.env.CHROMIUM_PATH ?? (await findChromium());
  return chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [...CHROMIUM_ARGS, `--host-resolver-rules=MAP ${host} 127.0.0.1`],
  });
}
