import type { Page } from '@playwright/test';
import { watchToasts } from '../specification/toasts.ts';
import { MANY, manyFiles, writeSite } from '../support/sites.ts';
import { ASKED_TOO_LATE, endOtherSessions, expect, logInHere, newcomer, refusedCall, test } from './fixtures.ts';

/** A wait on the page's own clock, in which everything that comes by itself has come. */
const WAIT_MS = 5_000;

const UNKNOWN = `fla_${'0'.repeat(43)}`;
const UNKNOWN_TOKEN = { authorization: `Bearer ${UNKNOWN}`, 'x-auth-token': UNKNOWN };

/** A line that stands still once the server has taken so many requests with files, until it is let go. */
async function standAfter(page: Page, accepted: readonly string[], count: number): Promise<() => void> {
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/uploads/*/files**', async (route) => {
    if (accepted.length >= count) await released;
    // The page may have given the file up in the meantime.
    await route.continue().catch(() => undefined);
  });
  return letGo;
}

/** The addresses of the requests with files that the server has taken, in order. */
function watchAccepted(page: Page): string[] {
  const accepted: string[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/files') && response.status() === 204) accepted.push(response.url());
  });
  return accepted;
}

test('a visitor who has not seen the disclaimer is led to it once, without a toast', async ({ page }) => {
  await page.clock.install();
  const shown = await watchToasts(page);
  const arrivals: string[] = [];
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) arrivals.push(new URL(frame.url()).pathname);
  });
  await page.goto('/pricing');
  await page.waitForURL('**/disclaimer');
  await page.waitForLoadState('networkidle');
  await page.clock.fastForward(WAIT_MS);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(arrivals.filter((pathname) => pathname === '/disclaimer')).toHaveLength(1);
  expect(new URL(page.url()).pathname).toBe('/disclaimer');
  expect(shown).toEqual([]);
});

test('a session that was ended elsewhere is told with a notice and leads to sign-in', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  const credentials = await newcomer(page);
  await page.goto('/deployments');
  await expect(page.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
  await endOtherSessions(app.url, credentials, 'Another anchor 2');
  // The socket of an ended session is closed, and the page looks whether it may come back.
  await page.waitForURL((url) => url.pathname === '/auth' && url.searchParams.get('redirect') === '/deployments');
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
});

test('a token that ends in mid-upload is refreshed and no file is sent twice', async ({ page, folder, complaints }) => {
  complaints.allow(refusedCall(401, '/api/uploads/'));
  await writeSite(folder, manyFiles('Harbour'));
  await newcomer(page);
  const accepted = watchAccepted(page);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 401) refused.push(response.url());
  });
  // To the server a token that has ended is one that it does not know; when that is, no clock says.
  let ended: string | undefined;
  await page.route('**/api/uploads/*/files**', async (route) => {
    const headers = route.request().headers();
    if (accepted.length >= 5) ended ??= headers.authorization;
    const isEnded = headers.authorization === ended;
    await route.continue(isEnded ? { headers: { ...headers, ...UNKNOWN_TOKEN } } : {});
  });
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/releases\/1$/);
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible({ timeout: 60_000 });
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(accepted).size).toBe(accepted.length);
  expect(accepted).toHaveLength(MANY.requests);
});

test('a session that ends in mid-upload loses nothing: the same account signs in and publishes it', async ({
  page,
  app,
  folder,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  await writeSite(folder, manyFiles('Harbour'));
  const credentials = await newcomer(page);
  const accepted = watchAccepted(page);
  const letGo = await standAfter(page, accepted, 5);
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect.poll(() => accepted.length).toBeGreaterThanOrEqual(5);
  await endOtherSessions(app.url, credentials, 'Another anchor 2');
  letGo();
  await page.waitForURL((url) => url.pathname === '/auth');
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
  expect(accepted.length, 'there is something left to send').toBeLessThan(MANY.requests);

  await logInHere(page, { ...credentials, password: 'Another anchor 2' });
  // It goes on by itself.
  await page.waitForURL(/\/releases\/1$/);
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();
  expect(new Set(accepted).size, 'no file is sent twice').toBe(accepted.length);
});
