import { expect, test } from '../browser/fixtures.ts';
import { IS_FULL } from '../support/size.ts';
import { enrol, seenBefore } from './accounts.ts';
import { holdCalls } from './held-network.ts';

test('while it is not known who is there, the screen says so', async ({ page, context, app }) => {
  await enrol(context.request);
  await seenBefore(context, app.url);
  const letGo = await holdCalls(page, '**/api/**');
  await page.goto('/account');
  await expect(page.getByText('Verifying access...')).toBeVisible();
  letGo();
  await expect(page.getByRole('heading', { level: 1, name: 'Account' })).toBeVisible();
  await expect(page.getByText('Verifying access...')).toHaveCount(0);
});

test('without a user it leads to /auth with the whole path, and from there back', async ({
  page,
  context,
  app,
  request,
}) => {
  const { username, password } = await enrol(request);
  await seenBefore(context, app.url);
  const path = '/deployments?platform=built-in&search=a%20b';
  await page.goto(path);
  await expect(page).toHaveURL(`/auth?redirect=${encodeURIComponent(path)}`);
  // An empty browser is taken for a newcomer's.
  await page.getByRole('tab', { name: 'Login' }).click();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Active Deployments' })).toBeVisible();
  const { pathname, searchParams } = new URL(page.url());
  expect(pathname).toBe('/deployments');
  expect(searchParams.get('search')).toBe('a b');
  expect(searchParams.get('platform')).toBe('built-in');
  // Who goes back from there does not meet the redirect again.
  await page.goBack();
  await expect(page).not.toHaveURL(/\/auth/);
});

/** The call that reads the subscription, by its path or by its procedure. */
const SUBSCRIPTION = /\/api\/.*subscription/;

/** The statuses of a subscription other than active and trialing: none of them opens a paid screen. */
const STATUSES = [
  ['active', true],
  ['past_due', false],
  ...(IS_FULL
    ? ([
        ['trialing', true],
        ['canceled', false],
        ['expired', false],
      ] as const)
    : []),
] as const;

test('a subscription is asked for where the text says so, and active means active or trialing', async ({
  page,
  context,
  app,
}) => {
  await enrol(context.request, { accepted: true, subscribed: true });
  await seenBefore(context, app.url);
  for (const [status, isActive] of STATUSES) {
    await test.step(status, async () => {
      let told = 0;
      // The server's own words, with another status in them.
      await page.route(SUBSCRIPTION, async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replaceAll('"status":"trialing"', () => {
          told += 1;
          return `"status":"${status}"`;
        });
        await route.fulfill({ response, body });
      });
      await page.goto('/payment-success');
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(page).toHaveURL(isActive ? '/payment-success' : '/subscription/pricing');
      expect(told).toBeGreaterThan(0);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  }
});

test('no answer about the subscription, or one that cannot be read, counts as none', async ({
  page,
  context,
  app,
  complaints,
}) => {
  complaints.allow(/Failed to load resource.*subscription/);
  await enrol(context.request, { accepted: true, subscribed: true });
  await seenBefore(context, app.url);
  const json = 'application/json';
  for (const answer of [
    { status: 500, contentType: json, body: JSON.stringify({ status: 'active', plan: 'PRO' }) },
    { status: 200, contentType: json, body: '{"status":"active"' },
  ]) {
    await page.route(SUBSCRIPTION, (route) => route.fulfill(answer));
    await page.goto('/payment-success');
    await expect(page, String(answer.status)).toHaveURL('/subscription/pricing');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
});
