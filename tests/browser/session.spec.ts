import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRealApp } from '../support/real-app.ts';
import { twentyPages, writeSite } from '../support/sites.ts';
import { expect, logIn, newCredentials, REFUSED_CALL, register, seeDisclaimer, test } from './fixtures.ts';

const WAIT_MS = 5_000;

test('a visitor who never signed in sees no toast and is led nowhere', async ({ page, complaints }) => {
  complaints.allow(REFUSED_CALL);
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
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    await expect(page.getByText('Session Expired')).toHaveCount(0);
    expect(refreshes.length, path).toBeLessThanOrEqual(1);
  }
});

test('a visitor who has not seen the disclaimer is led to it once, without a toast', async ({ page, complaints }) => {
  complaints.allow(REFUSED_CALL);
  for (const path of ['/', '/pricing', '/faq']) {
    await page.goto(path);
    await page.waitForURL('**/disclaimer');
  }
  await page.waitForTimeout(2_000);
  await expect(page.getByText('Session Expired')).toHaveCount(0);
  expect(new URL(page.url()).pathname).toBe('/disclaimer');
});

test('an anonymous visit of a protected screen leads to sign-in and back again', async ({ page, complaints }) => {
  complaints.allow(REFUSED_CALL);
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
  await page.getByLabel('Username').fill(credentials.username);
  await page.getByLabel('Password', { exact: true }).fill(credentials.password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await page.waitForURL('**/deployments?state=live');
});

test('a session that was ended elsewhere is told with a notice and leads to sign-in', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(REFUSED_CALL);
  await seeDisclaimer(page);
  const credentials = await register(page);
  await page.goto('/deployments');
  await expect(page.getByRole('heading', { name: 'Active Deployments' })).toBeVisible();
  // Another device changes the password: every other session is over.
  const login = await fetch(`${app.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: credentials.username, password: credentials.password }),
  });
  const { accessToken }: { accessToken: string } = await login.json();
  const change = await fetch(`${app.url}/api/trpc/auth.changePassword`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ json: { currentPassword: credentials.password, newPassword: 'Another anchor 2' } }),
  });
  expect(change.status).toBe(200);
  // The socket of an ended session is closed, and the page looks whether it may come back.
  await page.waitForURL((url) => url.pathname === '/auth' && url.searchParams.get('redirect') === '/deployments');
  await expect(page.getByText('Session expired. Please log in again.').first()).toBeVisible();
  await logIn(page, { ...credentials, password: 'Another anchor 2' });
});

test('two tabs that refresh at once stay signed in', async ({ page, complaints }) => {
  complaints.allow(REFUSED_CALL);
  const app = await startRealApp({ ACCESS_TOKEN_SECONDS: '2' });
  try {
    await page.goto(`${app.url}/disclaimer`);
    await page.getByRole('button', { name: 'Accept & Continue' }).click();
    await page.waitForURL('**/beta-welcome');
    await page.goto(`${app.url}/register`);
    const credentials = newCredentials();
    await page.getByLabel('Username').fill(credentials.username);
    await page.getByLabel('Email').fill(credentials.email);
    await page.getByLabel('Password', { exact: true }).fill(credentials.password);
    await page.getByLabel('Confirm Password').fill(credentials.password);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.waitForURL('**/subscription/pricing');
    const other = await page.context().newPage();
    for (let round = 0; round < 5; round += 1) {
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
  complaints.allow(REFUSED_CALL);
  const app = await startRealApp({ ACCESS_TOKEN_SECONDS: '2' });
  try {
    await writeSite(folder, twentyPages());
    for (let number = 0; number < 60; number += 1)
      await writeFile(join(folder, `note-${number}.txt`), `note ${number}`);
    await page.goto(`${app.url}/disclaimer`);
    await page.getByRole('button', { name: 'Accept & Continue' }).click();
    await page.waitForURL('**/beta-welcome');
    await page.goto(`${app.url}/register`);
    const credentials = newCredentials();
    await page.getByLabel('Username').fill(credentials.username);
    await page.getByLabel('Email').fill(credentials.email);
    await page.getByLabel('Password', { exact: true }).fill(credentials.password);
    await page.getByLabel('Confirm Password').fill(credentials.password);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.waitForURL('**/subscription/pricing');
    await page.getByRole('button', { name: 'Start the trial' }).click();
    await page.waitForURL('**/dashboard');

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
