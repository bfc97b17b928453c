import type { Page } from '@playwright/test';
import { expect, logInHere, newCredentials, test } from '../browser/fixtures.ts';
import { personOf, seenBefore } from './accounts.ts';
import { expectShown, watchToasts } from './toasts.ts';

async function fillRegistration(page: Page, username: string): Promise<void> {
  const { email, password } = newCredentials();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
}

test('a login or a registration that fails says why, keeps the form and ends there', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(/Failed to load resource/);
  const shown = await watchToasts(page);
  await seenBefore(page.context(), app.url);
  const taken = newCredentials();
  await page.request.post(`${app.url}/api/register`, { headers: { origin: app.url }, data: taken });
  await page.context().clearCookies({ name: /^(?!disclaimerSeen)/ });

  await test.step('a wrong password, in the words of the server', async () => {
    await page.goto('/login');
    const answer = page.waitForResponse(/\/api\/.*login/);
    await logInHere(page, { username: taken.username, password: 'Another anchor 1' });
    const message = await messageOf(await (await answer).text());
    await expectShown(shown, 'Login failed', message, 'destructive');
    await expect(page.getByLabel('Username')).toHaveValue(taken.username);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('fla_');
  });
  await test.step('a login that nobody answers for', async () => {
    // The real server always says why.
    await page.route(/\/api\/.*login/, (route) => route.fulfill({ status: 502, body: '' }));
    await page.getByRole('button', { name: 'Log In', exact: true }).click();
    await expectShown(shown, 'Login failed', 'Please check your credentials', 'destructive');
    await page.unroute(/\/api\/.*login/);
  });
  await test.step('a name that is taken, in the words of the server', async () => {
    await page.goto('/register');
    const answer = page.waitForResponse(/\/api\/.*register/);
    await fillRegistration(page, taken.username);
    const message = await messageOf(await (await answer).text());
    await expectShown(shown, 'Registration failed', message, 'either');
    await expect(page.getByLabel('Username')).toHaveValue(taken.username);
  });
  await test.step('a registration that nobody answers for', async () => {
    await page.route(/\/api\/.*register/, (route) => route.fulfill({ status: 502, body: '' }));
    await page.goto('/register');
    await fillRegistration(page, newCredentials().username);
    await expectShown(shown, 'Registration failed', 'Please try a different username', 'either');
    await page.unroute(/\/api\/.*register/);
  });
  expect(shown.map(({ title }) => title)).toEqual([
    'Login failed',
    'Login failed',
    'Registration failed',
    'Registration failed',
  ]);
  expect(new URL(page.url()).pathname).toBe('/register');
});

test('every refusal of the server carries a message, a code and a request id', async ({ page, app }) => {
  const { accessToken } = await personOf(page, app.url);
  const origin = app.url;
  const json = { origin, 'content-type': 'application/json' };
  const bearer = { authorization: `Bearer ${accessToken}` };
  const cases = [
    { what: 'no session', status: 401, path: '/api/user', method: 'GET', headers: { origin }, data: undefined },
    { what: 'no such path', status: 404, path: '/api/nowhere', method: 'GET', headers: { origin }, data: undefined },
    { what: 'a wrong field', status: 400, path: '/api/login', method: 'POST', headers: json, data: '{"username":"a"}' },
    { what: 'no JSON', status: 400, path: '/api/login', method: 'POST', headers: json, data: '{"username":' },
    {
      what: 'a foreign origin',
      status: 403,
      path: '/api/login',
      method: 'POST',
      headers: { ...json, origin: 'https://elsewhere.example' },
      data: '{}',
    },
    {
      what: 'another type of body',
      status: 415,
      path: '/api/login',
      method: 'POST',
      headers: { origin, 'content-type': 'text/plain' },
      data: '{}',
    },
    {
      what: 'too large a body',
      status: 413,
      path: '/api/feedback',
      method: 'POST',
      headers: json,
      data: JSON.stringify({ rating: 5, comment: 'a'.repeat(101 * 1024) }),
    },
    {
      what: 'a procedure refused',
      status: 404,
      path: `/api/trpc/deployments.get?input=${encodeURIComponent('{"json":{"deploymentId":"aaaaaaaaaaaaaaaaaaaa"}}')}`,
      method: 'GET',
      headers: { origin, ...bearer },
      data: undefined,
    },
  ];
  for (const { what, status, path, method, headers, data } of cases) {
    await test.step(`${status} ${what}`, async () => {
      const answer = await fetch(`${app.url}${path}`, {
        method,
        headers,
        ...(data === undefined ? {} : { body: data }),
      });
      const text = await answer.text();
      expect(answer.status, text).toBe(status);
      const body = JSON.parse(text);
      const told = body.error === undefined ? body : { ...body.error.json, ...body.error.json.data };
      expect(told).toMatchObject({
        message: expect.stringMatching(/\S/),
        code: expect.stringMatching(/^[a-z_]+$/),
        requestId: expect.stringMatching(/\S{8,}/),
      });
      expect(text).not.toMatch(/at \w+ \(|node_modules/);
    });
  }
});

/** The server's own words, wherever in its answer they stand. */
function messageOf(body: string): string {
  const found = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  if (found === undefined) throw new Error(`No message in ${body}`);
  return JSON.parse(`"${found}"`);
}
