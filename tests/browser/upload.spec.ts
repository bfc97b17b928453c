import { randomBytes } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { freePort } from '../support/free-ports.ts';
import { startRealApp } from '../support/real-app.ts';
import { MANY, manyFiles, type SiteFiles, twentyPages, writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { writeZip } from '../support/zip-writer.ts';
import { ASKED_TOO_LATE, expect, newcomer, newcomerByForms, registerHere, seeDisclaimer, test } from './fixtures.ts';

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
  const panel = page.getByLabel('Live', { exact: true });
  await expect(panel).toBeVisible({ timeout: 60_000 });
  const address = (await panel.getByRole('link', { name: 'Visit' }).getAttribute('href')) ?? '';
  const visitor = await page.context().newPage();
  const answer = await visitor.goto(address);
  const body = (await answer?.text()) ?? '';
  await visitor.close();
  return body;
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

/** Lets so many requests with files through to the server and holds the others back; answers the addresses of the former. */
async function holdFilesAfter(page: Page, count: number): Promise<{ through: string[]; letAll(): void }> {
  const through: string[] = [];
  let limit = count;
  await page.route('**/api/uploads/*/files**', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    // Held for good: the page that asked for it goes before an answer comes.
    if (through.length >= limit) return;
    through.push(route.request().url());
    await route.continue();
  });
  return {
    through,
    letAll: () => {
      limit = Number.POSITIVE_INFINITY;
    },
  };
}

/** Waits until what went through is told as done, in files. */
async function seesDone(page: Page, through: readonly string[]): Promise<void> {
  const files = through.reduce((sum, url) => sum + (url.endsWith('/files') ? MANY.together : 1), 0);
  await expect(page.getByRole('main').getByText(new RegExp(`^${files} of ${MANY.files} files`))).toBeVisible();
}

test('a ZIP that is dropped is read and told, and its finished folder alone goes live', async ({ page, folder }) => {
  const zip = join(folder, 'harbour guide.zip');
  const source = { 'package.json': '{"devDependencies":{"vite":"8"}}', '.env': 'KEY=1', '__MACOSX/._index.html': 'x' };
  const built = Object.entries(twentyPages('Out of a ZIP')).map(([path, data]) => [`dist/${path}`, data]);
  await writeFile(zip, zipOf({ ...source, ...Object.fromEntries(built) }, 'harbour guide/'));
  await newcomer(page);
  await page.goto('/new-deployment');
  await expect(page.getByRole('button', { name: 'Choose a ZIP' })).toBeEnabled();
  await drop(page, zip);
  const summary = page.getByLabel('ZIP harbour guide');
  await expect(summary).toContainText('Private, and left out: .env');
  await page.getByRole('button', { name: 'Publish dist instead' }).click();
  await expect(summary).toContainText('Static website, 23 files');
  const sent = page.waitForRequest((request) => request.method() === 'POST' && isZipUpload(request.url()));
  await publish(page);
  expect((await sent).headers()['content-type']).toBe('application/zip');
  expect(await liveBody(page)).toContain('Out of a ZIP');
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('the server’s refusal of a ZIP names the entry and the rule', async ({ page, folder, complaints }) => {
  complaints.allow(/status of 400 .*\/zip/);
  const zip = join(folder, 'bad.zip');
  const bad = { name: 'photo.txt', data: 'real', crc: 1 };
  await writeFile(zip, writeZip([{ name: 'index.html', data: '<h1>x</h1>' }, bad]));
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('ZIP to publish').setInputFiles(zip);
  await publish(page);
  await expect(page.getByText(/^photo\.txt: /)).toBeVisible();
});

test('what looks wrong is said before anything is sent', async ({ page, folder }) => {
  await writeSite(folder, {
    'index.html': '<a href="About.html">About</a>\n<img src="gone.png" alt="">\n<img src="img/boat.jpg" alt="">',
    'about.html': '<h1>About</h1>',
    'img/boat.jpg': 'jpg',
    'config.js': `\nconst key = 'AKIA${'ABCDEFGH'.repeat(2)}';\n`,
    _redirects: '/old /new 301\n/api/* https://example.com/:splat 200\n',
  });
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const summary = page.getByLabel(`Folder ${basename(folder)}`);
  await expect(summary).toContainText(
    'config.js, line 2: AKIA•••••••• looks like an access key of Amazon Web Services',
  );
  await expect(summary).toContainText('index.html, line 1: About.html is called about.html');
  await expect(summary).toContainText('index.html, line 2: gone.png is not there');
  await expect(summary).toContainText('1 line of _redirects is not followed.');
  await expect(summary).not.toContainText('AKIAABC');
  await expect(summary.getByText('Largest files')).toBeVisible();
});

test('a reload in mid-upload goes on, and no file is sent twice', async ({ page, folder }) => {
  await writeSite(folder, manyFiles('After the reload'));
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const held = await holdFilesAfter(page, 6);
  await publish(page);
  await expect.poll(() => held.through.length).toBe(6);
  await seesDone(page, held.through);
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
  held.letAll();
  await page.reload();
  expect(await liveBody(page)).toContain('After the reload');
  expect(held.through).toHaveLength(MANY.requests);
  expect(new Set(held.through).size, 'each file went to the server once').toBe(MANY.requests);
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('a ZIP that is cut off goes on with what is missing, and is sent no more once it has arrived', async ({
  page,
  app,
  folder,
}) => {
  const zip = join(folder, 'long way.zip');
  await writeFile(zip, zipOf({ 'index.html': '<h1>A long way</h1>', 'film.bin': randomBytes(3_000_000) }));
  const { size } = await stat(zip);
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('ZIP to publish').setInputFiles(zip);
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
  const starts: number[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (request.method() === 'POST' && isZipUpload(url.href)) starts.push(Number(url.searchParams.get('from')));
  });
  let isHeld = true;
  let created = 0;
  await page.route('**/api/trpc/releases.create*', async (route) => {
    created += 1;
    if (!isHeld) await route.continue();
  });
  const line = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
  await line.send('Network.emulateNetworkConditions', slow);
  await publish(page);
  await expect.poll(() => incomingBytes(app.dataDir), { timeout: 30_000 }).toBeGreaterThan(500_000);
  await page.reload();
  await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await expect.poll(() => created, { timeout: 60_000 }).toBe(1);
  isHeld = false;
  await page.reload();
  expect(await liveBody(page)).toContain('A long way');
  expect(created).toBe(2);
  expect(starts[0]).toBe(0);
  const last = starts.at(-1) ?? 0;
  expect(last, 'what had arrived was not sent again').toBeGreaterThan(500_000);
  expect(last).toBeLessThan(size);
  await expect.poll(() => incomingBytes(app.dataDir)).toBe(0);
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('where the browser has no room for the files, a reload asks for the folder again', async ({
  page,
  app,
  folder,
}) => {
  const photo = Buffer.alloc(3_000_000, 'photo');
  await writeSite(folder, { 'index.html': '<h1>No room</h1>', 'photo.jpg': photo });
  await newcomer(page);
  await page.goto('/new-deployment');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Storage.overrideQuotaForOrigin', { origin: app.url, quotaSize: 1_000_000 });
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByLabel(`Folder ${basename(folder)}`)).toBeVisible();
  await expect.poll(() => kept(page)).toEqual({ selections: 0, records: 1, withFiles: 0 });
  await page.reload();
  await expect(page.getByText(`Choose ${basename(folder)} again`)).toBeVisible();
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await expect(page.getByText('The same as before the reload')).toBeVisible();
  await publish(page);
  expect(await liveBody(page)).toContain('No room');
});

test('a network that is lost is waited for, in sight, and nothing is lost', async ({ page, folder, complaints }) => {
  // A part of the page that comes after the first paint may be asked for just then; it is asked for again.
  complaints.allow(/net::ERR_INTERNET_DISCONNECTED|net::ERR_FAILED|WebSocket connection|dynamically imported module/);
  await writeSite(folder, manyFiles('Back online'));
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  const held = await holdFilesAfter(page, 6);
  await publish(page);
  await expect.poll(() => held.through.length).toBe(6);
  await seesDone(page, held.through);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(true);
  await expect(page.getByRole('main').getByText('Waiting for the network')).toBeVisible();
  await page.context().setOffline(false);
  expect(await liveBody(page)).toContain('Back online');
});

test('a visitor’s folder survives registration and reloads, and is published from there', async ({ page, folder }) => {
  await writeSite(folder, {
    'index.html': '<h1>Dropped by a visitor</h1>',
    'about.html': '<h1>About</h1>',
    '.env': 'KEY=1',
    '.git/config': 'x',
  });
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
  await page.reload();
  await registerHere(page);
  await page.reload();
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/new-deployment');
  await page.reload();
  await expect(page.getByLabel(name)).toContainText('1 private file and 1 private folder left out');
  await publish(page);
  expect(await liveBody(page)).toContain('Dropped by a visitor');
  await expect.poll(() => kept(page)).toEqual(NOTHING_KEPT);
});

test('what waits is in one tab alone, and is gone after a logout, for the next account in the tab as well', async ({
  page,
  context,
  folder,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  const zip = join(folder, 'waits.zip');
  await writeFile(zip, zipOf({ 'index.html': '<h1>Waits</h1>' }));
  await newcomer(page);
  await page.goto('/new-deployment');
  await page.getByLabel('ZIP to publish').setInputFiles(zip);
  await expect(page.getByLabel('ZIP waits')).toBeVisible();
  await expect.poll(async () => (await kept(page)).withFiles).toBe(1);
  const other = await context.newPage();
  await other.goto('/new-deployment');
  await expect(other.getByRole('button', { name: 'Choose a folder' })).toBeEnabled();
  await expect(other.getByLabel('ZIP waits')).toHaveCount(0);
  await other.close();
  await page.reload();
  await expect(page.getByLabel('ZIP waits')).toBeVisible();
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

      const held = await holdFilesAfter(page, 6);
      await publish(page);
      await expect.poll(() => held.through.length).toBe(6);
      await seesDone(page, held.through);
      held.letAll();
      await page.reload();
      expect(await liveBody(page)).toContain('Over plain http');
      expect(new Set(held.through).size, 'each file went to the server once').toBe(held.through.length);
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
