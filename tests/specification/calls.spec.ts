import type { APIRequestContext, APIResponse, Page } from '@playwright/test';
import { ASKED_TOO_LATE, expect, logInHere, newCredentials, registerHere, test } from '../browser/fixtures.ts';
import { personOf } from './accounts.ts';
import { callsOf, expectHeadersRead, muteRealtime, REFRESH, watchCalls } from './calls.ts';

const WITHOUT_TOKEN = [/login$/, /register$/, /refresh-token$/];

async function signInByForm(page: Page, url: string): Promise<void> {
  const person = await personOf(page, url);
  await page.context().clearCookies({ name: /^(?!disclaimerSeen)/ });
  await page.goto('/login');
  await logInHere(page, person);
  await page.waitForURL('**/dashboard');
}

test('login, registration and refresh carry no token, every other call carries all three headers', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  await muteRealtime(page);
  const calls = watchCalls(page);
  await signInByForm(page, app.url);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('switch', { name: 'A release is live' }).click();
  await expect(page.getByRole('switch', { name: 'A release is live' })).toBeChecked();
  await expect.poll(() => calls.filter(({ method }) => method === 'POST').length).toBeGreaterThan(2);
  await page.getByRole('link', { name: 'Logout' }).click();
  await page.waitForURL('**/login');
  const untilLogout = calls.length;
  await page.getByRole('tab', { name: 'Register' }).click();
  await registerHere(page);
  await expectHeadersRead(calls);

  const isBare = ({ names }: { names: string[] }): boolean =>
    names.some((name) => WITHOUT_TOKEN.some((pattern) => pattern.test(name)));
  const bare = calls.filter(isBare);
  for (const pattern of WITHOUT_TOKEN) expect(callsOf(bare, pattern), String(pattern)).not.toEqual([]);
  for (const { names, headers } of bare) {
    expect(headers.authorization, names.join()).toBeUndefined();
    expect(headers['x-auth-token'], names.join()).toBeUndefined();
  }
  const others = calls.slice(0, untilLogout).filter((call) => !isBare(call));
  expect(callsOf(others, /logout$/)).toHaveLength(1);
  expect(others.length).toBeGreaterThan(4);
  for (const { names, headers } of others) {
    const token = headers['x-auth-token'];
    expect(token, names.join()).toMatch(/.{20,}/);
    expect(headers, names.join()).toMatchObject({
      authorization: `Bearer ${token}`,
      'x-requested-with': 'XMLHttpRequest',
    });
    expect(headers.cookie, names.join()).toContain('disclaimerSeen');
  }
  for (const { method, names, body, headers } of calls) {
    if (method === 'GET' || names.includes(REFRESH)) expect(body, names.join()).toBeNull();
    else expect(headers['content-type'], names.join()).toContain('application/json');
  }
  expect(callsOf(calls, REFRESH).every(({ method }) => method === 'POST')).toBe(true);
});

test('a token in the headers of an answer replaces the stored one, when its expiry comes with it', async ({
  page,
  app,
}) => {
  await muteRealtime(page);
  const person = await personOf(page, app.url);
  const login = await page.request.post(`${app.url}/api/login`, {
    headers: { origin: app.url },
    data: { username: person.username, password: person.password },
  });
  const { accessToken, expiresAt } = await login.json();
  const calls = watchCalls(page);
  await page.goto('/dashboard');
  await expect(page.getByText('Drop a folder or a ZIP to publish it')).toBeVisible();

  // The real server gives new tokens at the refresh alone; an answer of its own gets the headers here.
  const giveHeaders = async (headers: Record<string, string>, screen: string, sign: string): Promise<void> => {
    await page.route(
      '**/api/trpc/**',
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), ...headers } });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: screen }).first().click();
    await expect(page.getByText(sign).first()).toBeVisible();
  };
  await test.step('one header alone changes nothing', async () => {
    await giveHeaders({ 'x-new-access-token': accessToken }, 'Deployment History', 'No releases yet.');
    await giveHeaders({ 'x-token-expiry': expiresAt }, 'Settings', 'No tokens yet.');
    await expectHeadersRead(calls);
    expect(calls.at(-1)?.headers.authorization).not.toBe(`Bearer ${accessToken}`);
  });
  await test.step('both replace it', async () => {
    const both = { 'x-new-access-token': accessToken, 'x-token-expiry': expiresAt };
    await giveHeaders(both, 'Active Deployments', 'No deployments yet.');
    await page.reload();
    await expect(page.getByText('No deployments yet.')).toBeVisible();
    await expectHeadersRead(calls);
    expect(calls.at(-1)?.headers.authorization).toBe(`Bearer ${accessToken}`);
  });
});

test('what was read is not read again: not on a way back, not on focus, not by the clock', async ({ page, app }) => {
  await page.clock.install();
  await muteRealtime(page);
  await personOf(page, app.url);
  await page.goto('/deployments');
  await expect(page.getByText('No deployments yet.')).toBeVisible();
  await page.getByRole('link', { name: 'Deployment History' }).click();
  await expect(page.getByText('No releases yet.')).toBeVisible();
  await page.waitForLoadState('networkidle');
  const calls = watchCalls(page);
  await test.step('a way back within 5 minutes', async () => {
    await page.clock.fastForward(4 * 60_000 + 30_000);
    await page.getByRole('link', { name: 'Active Deployments' }).click();
    await expect(page.getByText('No deployments yet.')).toBeVisible();
    expect(calls).toEqual([]);
  });
  await test.step('focus, and time', async () => {
    await page.evaluate(() => {
      for (const name of ['visibilitychange', 'focus']) {
        document.dispatchEvent(new Event(name, { bubbles: true }));
        window.dispatchEvent(new Event(name));
      }
    });
    await page.clock.fastForward(9 * 60_000);
    await expect(page.getByText('No deployments yet.')).toBeVisible();
    expect(calls).toEqual([]);
  });
});

test('a query that fails is asked once, and again only by Retry', async ({ page, app, complaints }) => {
  complaints.allow(/Failed to load resource/);
  await page.clock.install();
  await muteRealtime(page);
  await personOf(page, app.url);
  await page.goto('/dashboard');
  await expect(page.getByText('Drop a folder or a ZIP to publish it')).toBeVisible();
  const calls = watchCalls(page);
  // The real server does not fail on demand.
  await page.route('**/api/trpc/**', (route) => route.fulfill({ status: 500, body: 'No.' }));
  await page.getByRole('link', { name: 'Deployment History' }).click();
  const retry = page.getByRole('button', { name: 'Retry' }).first();
  await expect(retry).toBeVisible();
  await page.clock.fastForward(30_000);
  expect(callsOf(calls, 'releases.list')).toHaveLength(1);
  await page.unroute('**/api/trpc/**');
  await retry.click();
  await expect(page.getByText('No releases yet.')).toBeVisible();
});

test('each call of the specification answers over plain HTTP as it is written', async ({ playwright, app }) => {
  const person = newCredentials();
  const request = await playwright.request.newContext({ baseURL: app.url, extraHTTPHeaders: { origin: app.url } });
  const stranger = await playwright.request.newContext({ baseURL: app.url, extraHTTPHeaders: { origin: app.url } });
  const expectSession = async (answer: APIResponse): Promise<{ authorization: string }> => {
    expect(answer.status(), await answer.text()).toBe(200);
    const { accessToken, expiresAt, ...others } = await answer.json();
    expect(typeof accessToken).toBe('string');
    expect(new Date(expiresAt).getTime()).toBeGreaterThan(Date.now());
    expect(Object.keys(others).filter((name) => /password|hash/i.test(name))).toEqual([]);
    return { authorization: `Bearer ${accessToken}` };
  };
  await test.step('register and login answer a session and the user', async () => {
    const registered = await request.post('/api/register', { data: person });
    await expectSession(registered);
    const login = await request.post('/api/login', { data: { username: person.username, password: person.password } });
    await expectSession(login);
    for (const answer of [registered, login]) {
      expect(await answer.json()).toMatchObject({
        username: person.username,
        email: person.email,
        disclaimerAccepted: false,
        deploymentCount: 0,
      });
      expect(await answer.text()).not.toContain(person.password);
    }
  });
  const bearer = await test.step('refresh answers a session to who brings its cookie', async () => {
    expect((await stranger.post('/api/refresh-token')).status()).toBe(401);
    return expectSession(await request.post('/api/refresh-token'));
  });
  await test.step('user', async () => {
    expect((await stranger.get('/api/user')).status()).toBe(401);
    const user = await (await request.get('/api/user', { headers: bearer })).json();
    expect(user).toMatchObject({ username: person.username, disclaimerAccepted: false, deploymentCount: 0 });
    expect(Object.keys(user)).not.toEqual(expect.arrayContaining(['password']));
    expect(Object.keys(user)).not.toEqual(expect.arrayContaining(['accessToken']));
  });
  await test.step('accept-disclaimer', async () => {
    expect((await request.post('/api/accept-disclaimer', { headers: bearer })).ok()).toBe(true);
    const user = await (await request.get('/api/user', { headers: bearer })).json();
    expect(user.disclaimerAccepted).toBe(true);
  });
  await test.step('subscription', async () => {
    expect((await stranger.get('/api/subscription')).status()).toBe(401);
    expect((await request.get('/api/subscription', { headers: bearer })).status()).toBe(404);
    await request.post('/api/trpc/subscription.startTrial', { headers: bearer, data: {} });
    const held = await (await request.get('/api/subscription', { headers: bearer })).json();
    expect(held).toMatchObject({ status: 'trialing', plan: 'PRO' });
  });
  await test.step('logout ends the session', async () => {
    expect((await request.post('/api/logout', { headers: bearer })).ok()).toBe(true);
    expect((await request.get('/api/user', { headers: bearer })).status()).toBe(401);
    expect((await request.post('/api/refresh-token')).status()).toBe(401);
  });
  await dispose([request, stranger]);
});

async function dispose(contexts: APIRequestContext[]): Promise<void> {
  await Promise.all(contexts.map((context) => context.dispose()));
}
