import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { type RealApp, startRealApp } from '../support/real-app.ts';

/**
 * Every browser test runs on the built product: its own process, database, worker and host, one a Playwright worker.
 * A page error, an unexpected line on the console or a report of the content security policy fails the test.
 */
type WorkerFixtures = { app: RealApp };
type TestFixtures = { folder: string; complaints: Complaints };

export type Complaints = {
  all: string[];
  /** A test that provokes a failure says which lines it expects. */
  allow(pattern: RegExp): void;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape to know what a fixture needs.
    async ({}, use) => {
      const app = await startRealApp();
      await use(app);
      await app[Symbol.asyncDispose]();
    },
    { scope: 'worker', timeout: 150_000 },
  ],
  baseURL: async ({ app }, use) => use(app.url),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-site-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  complaints: [
    async ({ context }, use) => {
      const all: string[] = [];
      const allowed: RegExp[] = [];
      context.on('weberror', (error) => all.push(`page error: ${error.error().message}`));
      context.on('console', (message) => {
        if (message.type() !== 'error' && message.type() !== 'warning') return;
        // A visitor's one silent refresh is refused, and the browser itself writes that down.
        if (message.location().url.endsWith('/api/refresh-token') && message.text().includes('401')) return;
        // Browsers ask every site for an icon; a site without one is fine.
        if (message.location().url.endsWith('/favicon.ico')) return;
        all.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
      });
      await use({ all, allow: (pattern) => void allowed.push(pattern) });
      const unexpected = all.filter((line) => !allowed.some((pattern) => pattern.test(line)));
      expect(unexpected, 'nothing unexpected on the console, no report of the content security policy').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** What a person sees when a call was refused as expected: the browser itself writes this line. */
export const REFUSED_CALL = /Failed to load resource: the server responded with a status of 4\d\d/;

let people = 0;

export type Credentials = { username: string; email: string; password: string };

export function newCredentials(): Credentials {
  people += 1;
  const username = `sailor ${process.pid} ${Date.now().toString(36)} ${people}`;
  return { username, email: `${username.replaceAll(' ', '.')}@example.com`, password: 'Anchor weigh 1' };
}

/** Marks the disclaimer as seen in this browser, as an earlier visit would have. */
export async function seeDisclaimer(page: Page): Promise<void> {
  await page.goto('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.waitForURL('**/beta-welcome');
}

export async function register(page: Page, credentials = newCredentials()): Promise<Credentials> {
  await page.goto('/register');
  await page.getByLabel('Username').fill(credentials.username);
  await page.getByLabel('Email').fill(credentials.email);
  await page.getByLabel('Password', { exact: true }).fill(credentials.password);
  await page.getByLabel('Confirm Password').fill(credentials.password);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL('**/subscription/pricing');
  return credentials;
}

export async function logIn(page: Page, credentials: Pick<Credentials, 'username' | 'password'>): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Username').fill(credentials.username);
  await page.getByLabel('Password', { exact: true }).fill(credentials.password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await page.waitForURL('**/dashboard');
}
