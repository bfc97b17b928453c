import type { Page } from '@playwright/test';
import { expect, logIn, refusedCall, register, test } from '../browser/fixtures.ts';
import { enrol, seenBefore, signedIn } from './accounts.ts';
import { follow } from './navigation.ts';

const YEAR_SECONDS = 365 * 24 * 3600;

async function toast(page: Page, title: string, description: string): Promise<void> {
  const shown = page.locator('[data-toast]').filter({ hasText: title });
  await expect(shown).toContainText(description);
}

test('accepting signed out: flag, cookie of a year, toast, welcome, and no second gate after registering', async ({
  page,
  context,
}) => {
  await page.goto('/');
  await expect(page).toHaveURL('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await toast(page, 'Welcome Aboard!', "You're now part of our beta program.");
  await expect(page).toHaveURL('/beta-welcome');
  expect(await page.evaluate(() => localStorage.getItem('disclaimerSeen'))).toBe('true');
  const cookies = await context.cookies();
  const seen = cookies.find(({ name }) => name === 'disclaimerSeen');
  expect(seen?.value).toBe('true');
  const left = (seen?.expires ?? 0) - Date.now() / 1000;
  expect(Math.abs(left - YEAR_SECONDS)).toBeLessThan(24 * 3600);
  // The id that joins this acceptance to an account later is for the server alone.
  expect(cookies.filter(({ httpOnly }) => httpOnly).length).toBeGreaterThan(0);

  await page.goto('/disclaimer');
  await expect(page).toHaveURL('/beta-welcome');

  await register(page);
  await follow(page, '/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page).toHaveURL('/dashboard');
});

test('either the flag or the cookie is enough, and neither is not', async ({ page, context, app }) => {
  await page.goto('/pricing');
  await expect(page).toHaveURL('/disclaimer');
  await seenBefore(context, app.url);
  await page.goto('/pricing');
  await expect(page.getByRole('heading', { level: 1, name: 'Pricing & Trial' })).toBeVisible();
  await context.clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    localStorage.setItem('disclaimerSeen', 'true');
  });
  await page.goto('/pricing');
  await expect(page.getByRole('heading', { level: 1, name: 'Pricing & Trial' })).toBeVisible();
  await expect(page).toHaveURL('/pricing');
  // Only `true` is true.
  await context.clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    localStorage.setItem('disclaimerSeen', 'false');
  });
  await page.goto('/pricing');
  await expect(page).toHaveURL('/disclaimer');
});

test('whom the server knows not to have accepted stays on the disclaimer, and can accept there', async ({
  page,
  context,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(404, 'subscription'));
  const person = await enrol(context.request, { accepted: false, subscribed: false });
  const accepted = async (): Promise<unknown> => {
    const answer = await context.request.get('/api/user', { headers: signedIn(person) });
    const user: { disclaimerAccepted?: unknown } = await answer.json();
    return user.disclaimerAccepted;
  };
  expect(await accepted()).toBe(false);
  await seenBefore(context, app.url);
  await page.addInitScript(() => localStorage.setItem('disclaimerSeen', 'true'));
  await page.goto('/settings');
  await expect(page).toHaveURL('/disclaimer');
  await page.goto('/disclaimer');
  await expect(page.getByRole('button', { name: 'Accept & Continue' })).toBeEnabled();
  await expect(page).toHaveURL('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect(page).toHaveURL('/beta-welcome');
  await expect.poll(accepted).toBe(true);
  await page.goto('/settings');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test('an acceptance of this browser joins the account that logs in', async ({ page, context, request }) => {
  const person = await enrol(request, { accepted: false, subscribed: false });
  await page.goto('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect(page).toHaveURL('/beta-welcome');
  await logIn(page, person);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  const answer = await context.request.get('/api/user', { headers: signedIn(person) });
  expect(await answer.json()).toMatchObject({ disclaimerAccepted: true });
});

const FAILURES = [
  { what: 'a refusal with a message', message: 'The harbour is closed.', text: 'The harbour is closed.' },
  { what: 'a refusal without a message', message: '', text: 'Failed to record your acceptance' },
  { what: 'no answer', message: undefined, text: 'An error occurred. Please try again.' },
] as const;

/** A refusal as each of the two ways words it: the documented path, and the procedure behind it. */
function refusal(url: string, message: string): string {
  if (!url.includes('/api/trpc/')) return JSON.stringify(message === '' ? {} : { message });
  const data = { code: 'not_ready', httpStatus: 503 };
  return JSON.stringify([{ error: { json: { message, code: -32603, data } } }]);
}

test('when the acceptance cannot be recorded it is said, and the flag still leads on', async ({ page, complaints }) => {
  complaints.allow(refusedCall(503, 'disclaimer'));
  complaints.allow(/ERR_FAILED/);
  for (const { what, message, text } of FAILURES) {
    await test.step(what, async () => {
      await page.route(/accept-?disclaimer|disclaimer\.accept/i, (route) =>
        message === undefined
          ? route.abort()
          : route.fulfill({
              status: 503,
              contentType: 'application/json',
              body: refusal(route.request().url(), message),
            }),
      );
      await page.goto('/disclaimer');
      await page.getByRole('button', { name: 'Accept & Continue' }).click();
      await toast(page, 'Error', text);
      await expect(page.locator('[data-toast="destructive"]')).toBeVisible();
      await expect(page).toHaveURL('/beta-welcome');
      await page.unrouteAll();
      await page.evaluate(() => localStorage.clear());
      await page.context().clearCookies();
    });
  }
});
