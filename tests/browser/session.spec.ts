import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRealApp } from '../support/real-app.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import {
  countToasts,
  endOtherSessions,
  expect,
  logIn,
  logInHere,
  newCredentials,
  newcomer,
  refusedCall,
  register,
  seeDisclaimer,
  test,
} from './fixtures.ts';

const WAIT_MS = 5_000;

test('a visitor who never signed in sees no toast and is led nowhere', async ({ page }) => {
  const toasts = await countToasts(page);
  await seeDisclaimer(page);
  for (const path of ['/', '/pricing', '/faq']) {
    const refreshes: string[] = [];
    const count = (request: { url(): string }): void => {
      if (request.url().includes('refresh-token')) refreshes.push(request.url());
    };
    page.on('request', count);
    await page.goto(path);
    await page.waitForTimeout(WAIT_MS);
    page.off('request', count);
    expect(new URL(page.url()).pathname).toBe(path);
    expect(toasts(), path).toEqual([]);
    expect(refreshes.length, path).toBeLessThanOrEqual(1);
  }
});

test('a toast is counted though it is gone again', async ({ page, complaints }) => {
  complaints.allow(refusedCall(401, '/api/trpc/auth.login'));
  const toasts = await countToasts(page);
  await seeDisclaimer(page);
  await page.goto('/login');
  await logInHere(page, newCredentials());
  await expect(page.locator('[data-toast]')).toHaveCount(1);
  await page.locator('[data-toast]').getByRole('button', { name: 'Close' }).click();
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  expect(toasts()).toHaveLength(1);
  expect(toasts()[0]).toContain('Login failed');
});

test('a visitor who has not seen the disclaimer is led to it once, without a toast', async ({ page }) => {
  const toasts = await countToasts(page);
  const arrivals: string[] = [];
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) arrivals.push(new URL(frame.url()).pathname);
  });
  for (const path of ['/', '/pricing', '/faq']) {
    arrivals.length = 0;
    await page.goto(path);
    await page.waitForURL('**/disclaimer');
    await page.waitForTimeout(2_000);
    expect(arrivals.filter((pathname) => pathname === '/disclaimer')).toHaveLength(1);
    expect(new URL(page.url()).pathname).toBe('/disclaimer');
  }
  expect(toasts()).toEqual([]);
});

test('an anonymous visit of a protected screen leads to sign-in and back again', async ({ page }) => {
  await seeDisclaimer(page);
  const credentials = await register(page);
  await page.context().clearCookies({ name: /refresh/ });
  await page.evaluate(() => {
    const seen = localStorage.getItem('disclaimerSeen');
    localStorage.clear();
    sessionStorage.clear();
    if (seen !== null) localStorage.setItem('disclaimerSeen', seen);
  });
  await page.goto('/deployments?state=live');
  await page.waitForURL(
    (url) => url.pathname === '/auth' && url.searchParams.get('redirect') === '/deployments?state=live',
  );
  await logInHere(page, credentials);
  await page.waitForURL('**/deployments?state=live');
});

test('a session that was ended elsewhere is told with a notice and leads to sign-in', async ({ page, app }) => {
  await seeDisclaimer(page);
  const credentials = await register(page);
  await page.goto('/deployments');
  await expect(page.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
  await endOtherSessions(app.url, credentials, 'Another anchor 2');
  // The socket of an ended session is closed, and the page looks whether it may come back.
  await page.waitForURL((url) => url.pathname === '/auth' && url.searchParams.get('redirect') === '/deployments');
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
  await logIn(page, { ...credentials, password: 'Another anchor 2' });
});

test('two tabs that refresh at once stay signed in', async ({ page }) => {
  const app = await startRealApp({ ACCESS_TOKEN_SECONDS: '2' });
  try {
    await seeDisclaimer(page, app.url);
    await register(page, newCredentials(), app.url);
    const other = await page.context().newPage();
    for (let round = 0; round < 3; round += 1) {
      await page.waitForTimeout(2_100);
      await Promise.all([page.goto(`${app.url}/deployments`), other.goto(`${app.url}/deployment-history`)]);
      await expect(page.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
      await expect(other.getByRole('heading', { name: 'Deployment History' })).toBeVisible();
    }
    await other.close();
  } finally {
    await page.goto('about:blank');
    await app[Symbol.asyncDispose]();
  }
});

test('a token that ends in mid-upload is refreshed and no file is sent twice', async ({ page, folder, complaints }) => {
  complaints.allow(refusedCall(401, '/api/uploads/'));
  complaints.allow(refusedCall(401, '/api/trpc/'));
  const app = await startRealApp({ ACCESS_TOKEN_SECONDS: '2' });
  try {
    await writeSite(folder, twentyPages());
    for (let number = 0; number < 60; number += 1)
      await writeFile(join(folder, `note-${number}.txt`), `note ${number}`);
    await newcomer(page, app.url);

    const accepted: string[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'PUT' && response.status() === 204) accepted.push(response.url());
    });
    // A slow line: the upload outlives two tokens.
    await page.route('**/api/uploads/*/files/*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 350));
      await route.continue();
    });
    await page.goto(`${app.url}/new-deployment`);
    await page.getByLabel('Folder to publish').setInputFiles(folder);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.waitForURL(/\/releases\/1$/);
    await expect(page.getByLabel('Live', { exact: true })).toBeVisible({ timeout: 60_000 });
    expect(new Set(accepted).size).toBe(accepted.length);
    expect(accepted.length).toBeGreaterThanOrEqual(60);
  } finally {
    await page.goto('about:blank');
    await app[Symbol.asyncDispose]();
  }
});

test('a session that ends in mid-upload loses nothing: the same account signs in and publishes it', async ({
  page,
  app,
  folder,
  complaints,
}) => {
  complaints.allow(refusedCall(401, '/api/uploads/'));
  await writeSite(folder, twentyPages());
  for (let number = 0; number < 60; number += 1) await writeFile(join(folder, `note-${number}.txt`), `note ${number}`);
  const credentials = await newcomer(page);
  const accepted: string[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'PUT' && response.status() === 204) accepted.push(response.url());
  });
  // A slow line: the session ends while files are still to be sent.
  await page.route('**/api/uploads/*/files/*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.goto('/new-deployment');
  await page.getByLabel('Folder to publish').setInputFiles(folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect.poll(() => accepted.length).toBeGreaterThan(6);
  await endOtherSessions(app.url, credentials, 'Another anchor 2');
  await page.waitForURL((url) => url.pathname === '/auth');
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
  const acceptedBefore = accepted.length;
  expect(acceptedBefore).toBeLessThan(80);

  await logInHere(page, { ...credentials, password: 'Another anchor 2' });
  await page.waitForURL(/\/new-deployment\?deployment=/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(/\/releases\/1$/);
  await expect(page.getByLabel('Live', { exact: true })).toBeVisible();
  expect(new Set(accepted).size, 'no file is sent twice').toBe(accepted.length);
});
