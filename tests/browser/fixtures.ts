import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type APIResponse, test as base, expect, type Page } from '@playwright/test';
import { DISCLAIMER_SEEN } from '../../routers/schemas/disclaimer.ts';
import { SESSION_KEYS } from '../../src/lib/storage/storage.ts';
import type { Account } from '../support/api-account.ts';
import type { RealApp } from '../support/real-app.ts';
import { followPage } from './met.ts';
import { readSharedApp, type SharedApp } from './shared-app.ts';

/**
 * Every browser test runs on the built product: one process with its database, worker and host for all of them, unless a
 * file asks for an app of its own. A page error, an unexpected line on the console or a report of the content security
 * policy fails the test.
 */
type WorkerFixtures = { app: SharedApp };
type TestFixtures = {
  folder: string;
  complaints: Complaints;
  /** On a busy machine a test may take the minute after which the dialog opens by itself (tests/src/feedback-prompt.test.tsx). */
  isFeedbackAsked: boolean;
};

export type Complaints = {
  all: string[];
  /** A test that provokes a failure says which lines it expects. */
  allow(pattern: RegExp): void;
};

export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's shape to know what a fixture needs.
    async ({}, use) => use(readSharedApp()),
    { scope: 'worker' },
  ],
  isFeedbackAsked: [true, { option: true }],
  context: async ({ context, isFeedbackAsked }, use) => {
    if (isFeedbackAsked) await context.addInitScript(markAsked, SESSION_KEYS.feedbackAsked);
    await use(context);
    // What a test still answers for a server when it ends fails with the page, and would belong to no test.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
  page: async ({ page }, use, testInfo) => {
    const met = await followPage(page);
    await use(page);
    if (testInfo.status === testInfo.expectedStatus) return;
    process.stdout.write(`What the page of "${testInfo.title}" met:\n${await met()}\n`);
  },
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
      // What a page breaks the policy with, or would break what is only reported yet (server/http/security.ts), is told
      // to the page; what it writes there is read below.
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (violation) => {
          const { effectiveDirective, blockedURI, sourceFile } = violation;
          // biome-ignore lint/suspicious/noConsole: in the page, whose console is what is read.
          console.error(`securitypolicyviolation: ${effectiveDirective} ${blockedURI} ${sourceFile}`);
        });
      });
      context.on('weberror', (error) => all.push(`page error: ${error.error().message}`));
      context.on('console', (message) => {
        if (message.type() !== 'error' && message.type() !== 'warning') return;
        // A visitor's one silent refresh is refused, and the browser itself writes that down.
        if (message.location().url.endsWith('/api/refresh-token') && message.text().includes('401')) return;
        // Who has no plan is answered with a 404 where the question for it goes alone, as the specification has it.
        if (isQuestionForPlan(message.location().url) && message.text().includes('404')) return;
        // The app names its icon. A site that a test opens may have none, and browsers ask it by themselves.
        if (isIconOfSite(message.location().url)) return;
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

/**
 * The same for a file whose tests stop their app, or start it with settings of their own: one that they have in common, and
 * that no other file uses.
 */
export function testWithOwn<App extends RealApp>(start: () => Promise<App>) {
  return test.extend<object, { ownApp: App }>({
    ownApp: [
      // biome-ignore lint/correctness/noEmptyPattern: as above.
      async ({}, use) => {
        const app = await start();
        await use(app);
        await app[Symbol.asyncDispose]();
      },
      { scope: 'worker', timeout: 150_000 },
    ],
    app: async ({ ownApp }, use) => use(ownApp),
    baseURL: async ({ ownApp }, use) => use(ownApp.url),
  });
}

function isQuestionForPlan(url: string): boolean {
  return /\/api\/(?:subscription|trpc\/subscription\.get)(?:\?|$)/.test(url);
}

/** Runs in every page; a site in a frame of its own origin may have no storage. */
function markAsked(key: string): void {
  try {
    sessionStorage.setItem(key, 'true');
  } catch {
    // Nothing asks there.
  }
}

function isIconOfSite(url: string): boolean {
  if (!url.endsWith('/favicon.ico')) return false;
  return new URL(url).hostname.endsWith('.localhost');
}

/**
 * The line that the browser itself writes about a refused call; nothing else is let through.
 * `path` is a part of the address.
 */
export function refusedCall(status: number, path: string): RegExp {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `Failed to load resource: the server responded with a status of ${status} .*\\(http[^ ]*${escaped}`,
  );
}

/**
 * Matches the refusals of requests that a screen still sends when its session ends; how many there are is a matter of
 * moments.
 */
export const ASKED_TOO_LATE = refusedCall(401, '/api/');

let people = 0;

export type Credentials = { username: string; email: string; password: string };

export function newCredentials(): Credentials {
  people += 1;
  const username = `sailor ${process.pid} ${Date.now().toString(36)} ${people}`;
  return { username, email: `${username.replaceAll(' ', '.')}@example.com`, password: 'Anchor weigh 1' };
}

/** Marks the disclaimer as seen in this browser, as an earlier visit would have; the page stays where it is. */
export async function seeDisclaimer(page: Page, baseUrl = ''): Promise<void> {
  const answer = await post(page, `${baseUrl}/api/accept-disclaimer`);
  const { origin } = new URL(answer.url());
  await page.context().addCookies([{ name: DISCLAIMER_SEEN, value: 'true', url: origin }]);
}

/** Through the documented API, with the cookies of this browser: they stay in it. */
async function post(page: Page, url: string, data: unknown = {}, token?: string): Promise<APIResponse> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await page.request.post(url, { data, headers });
  expect(answer.ok(), `${url}: ${await answer.text()}`).toBe(true);
  return answer;
}

/** Opens the form and registers; `baseUrl` names another app than the worker's own. */
export async function register(page: Page, credentials = newCredentials(), baseUrl = ''): Promise<Credentials> {
  await page.goto(`${baseUrl}/register`);
  return registerHere(page, credentials);
}

/** The same on a page that shows the form already, whatever that page holds. */
export async function registerHere(page: Page, credentials = newCredentials()): Promise<Credentials> {
  await page.getByLabel('Username').fill(credentials.username);
  await page.getByLabel('Email').fill(credentials.email);
  await page.getByLabel('Password', { exact: true }).fill(credentials.password);
  await page.getByLabel('Confirm Password').fill(credentials.password);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/subscription/pricing');
  return credentials;
}

export async function startTrial(page: Page, baseUrl = ''): Promise<void> {
  await page.goto(`${baseUrl}/subscription/pricing`);
  await page.getByRole('button', { name: 'Start the trial' }).click();
  await page.waitForURL('**/dashboard');
}

/** The chosen folder's name comes first: in the middle of writing another it would be a part of it. */
export async function nameDeployment(page: Page, name: string): Promise<void> {
  const field = page.getByLabel('Name', { exact: true });
  await expect(field).not.toHaveValue('');
  await field.fill(name);
}

/**
 * Somebody who may publish: disclaimer seen, registered, the trial running. Without a form and without a page, as before a
 * return to the app: path.spec.ts and keyboard.spec.ts go the way itself. What is answered is their account to a script.
 */
export async function newcomer(page: Page, baseUrl = ''): Promise<Credentials & Account> {
  const person = await newcomerWithoutPlan(page, baseUrl);
  await post(page, `${baseUrl}/api/trpc/subscription.startTrial`, {}, person.token);
  return person;
}

/** Somebody who has an account and no plan yet. */
export async function newcomerWithoutPlan(page: Page, baseUrl = ''): Promise<Credentials & Account> {
  await seeDisclaimer(page, baseUrl);
  const credentials = newCredentials();
  const answer = await post(page, `${baseUrl}/api/register`, credentials);
  const { accessToken: token }: { accessToken: string } = await answer.json();
  return { ...credentials, url: new URL(answer.url()).origin, token };
}

/** The next page of this browser is signed in: by the cookie of a session, as after a visit before. */
export async function signIn(page: Page, { username, password }: Omit<Credentials, 'email'>): Promise<void> {
  await seeDisclaimer(page);
  await post(page, '/api/login', { username, password });
}

/** The same by the forms, also at a name that this browser alone knows. */
export async function newcomerByForms(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/disclaimer`);
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await page.waitForURL('**/beta-welcome');
  await register(page, newCredentials(), baseUrl);
  await startTrial(page, baseUrl);
}

/** Logs in on a page that already shows the form; the caller checks where it leads. */
export async function logInHere(page: Page, credentials: Pick<Credentials, 'username' | 'password'>): Promise<void> {
  await page.getByLabel('Username').fill(credentials.username);
  await page.getByLabel('Password', { exact: true }).fill(credentials.password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
}

/** Another device changes the password: every other session is over. */
export async function endOtherSessions(url: string, credentials: Credentials, newPassword: string): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const { username, password } = credentials;
  const login = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username, password }),
  });
  const { accessToken }: { accessToken: string } = await login.json();
  const change = await fetch(`${url}/api/trpc/auth.changePassword`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ json: { currentPassword: password, newPassword } }),
  });
  expect(change.status).toBe(200);
}
