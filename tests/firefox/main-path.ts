import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { startRealApp } from '../support/real-app.ts';
import { writeZip } from '../support/zip-writer.ts';
import { findFirefox } from './find-firefox.ts';

/**
 * The main path once in Firefox, from the first visit to a live site and a second release.
 * It stands beside the browser tests, whose browser is Chromium: Firefox is no part of the product's own set-up, and
 * Playwright drives a build of its own only. Every page error fails it.
 */
const PATIENCE_MS = 60_000;
const SITE = '<!doctype html><title>Harbour</title><h1>Seen in Firefox</h1>';
const CHANGED = '<!doctype html><title>Harbour</title><h1>Seen once more</h1>';

/** A locator waits until what it found is enabled, which the text inside a disabled button is as well. */
async function clickOn(page: Page, role: string, words: string): Promise<void> {
  await page.locator(`${role}:enabled ::-p-text(${words})`).click();
}

async function arrive(page: Page, path: RegExp): Promise<void> {
  await page.waitForFunction((pattern) => new RegExp(pattern).test(location.pathname), {}, path.source);
  console.log(`  ${new URL(page.url()).pathname}`);
}

async function fill(page: Page, label: string, value: string): Promise<void> {
  const id = await page.waitForFunction(
    (words) =>
      [...document.querySelectorAll('label')].find((one) => one.textContent?.trim() === words)?.htmlFor ?? false,
    {},
    label,
  );
  await page.locator(`[id="${await id.jsonValue()}"]`).fill(value);
}

async function signUp(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await arrive(page, /^\/disclaimer$/);
  await clickOn(page, 'button', 'Accept & Continue');
  await arrive(page, /^\/beta-welcome$/);
  await page.goto(`${url}/register`);
  await fill(page, 'Username', 'fox');
  await fill(page, 'Email', 'fox@example.com');
  await fill(page, 'Password', 'Anchor weigh 1');
  await fill(page, 'Confirm Password', 'Anchor weigh 1');
  await page.locator('form button[type=submit]').click();
  await arrive(page, /^\/subscription\/pricing$/);
  await clickOn(page, 'button', 'Start the trial');
  await arrive(page, /^\/dashboard$/);
}

async function chooseZip(page: Page, folder: string, text: string): Promise<void> {
  const zip = join(folder, 'harbour.zip');
  await writeFile(zip, writeZip([{ name: 'index.html', data: text }]));
  const input = await page.waitForSelector('input[aria-label="ZIP to publish"]');
  await input?.uploadFile(zip);
}

/** Waits until the release on the page is live, and reads its site as a visitor would. */
async function readLive(browser: Browser, page: Page): Promise<string> {
  const link = await page.waitForSelector('[aria-label="Live"] a[target=_blank]');
  const address = await link?.evaluate((anchor) => anchor.getAttribute('href'));
  const visitor = await browser.newPage();
  await visitor.goto(address ?? '');
  const heading = await visitor.$eval('h1', ({ textContent }) => textContent ?? '');
  await visitor.close();
  return heading;
}

function insist(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`Expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

async function walk(browser: Browser, url: string, folder: string): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await signUp(page, url);

  await page.goto(`${url}/new-deployment`);
  await chooseZip(page, folder, SITE);
  await fill(page, 'Name', 'Harbour');
  await clickOn(page, 'button', 'Publish');
  await arrive(page, /\/releases\/1$/);
  insist(await readLive(browser, page), 'Seen in Firefox');

  await page.goto(page.url().replace(/\/releases\/1$/, ''));
  await chooseZip(page, folder, CHANGED);
  await clickOn(page, 'button', 'Publish');
  await arrive(page, /\/releases\/2$/);
  insist(await readLive(browser, page), 'Seen once more');
  insist(errors.join('\n'), '');
}

async function main(): Promise<void> {
  const executablePath = findFirefox();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-firefox-'));
  await using app = await startRealApp();
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
  try {
    console.log(await browser.version());
    await walk(browser, app.url, folder);
    console.log('The main path works in Firefox.');
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
