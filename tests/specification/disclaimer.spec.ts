import { expect, newCredentials, test } from '../browser/fixtures.ts';
import { watchToasts } from './toasts.ts';

const YEAR_SECONDS = 365 * 24 * 3600;

test('accepting signed out: flag, cookie of a year, toast, welcome, and no second gate after registering', async ({
  page,
  context,
}) => {
  const shown = await watchToasts(page);
  await page.goto('/');
  await expect(page).toHaveURL('/disclaimer');
  await page.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect(page).toHaveURL('/beta-welcome');
  expect(shown).toMatchObject([{ title: 'Welcome Aboard!', description: "You're now part of our beta program." }]);
  expect(await page.evaluate(() => localStorage.getItem('disclaimerSeen'))).toBe('true');
  const cookies = await context.cookies();
  const seen = cookies.find(({ name }) => name === 'disclaimerSeen');
  expect(seen?.value).toBe('true');
  const left = (seen?.expires ?? 0) - Date.now() / 1000;
  expect(Math.abs(left - YEAR_SECONDS)).toBeLessThan(24 * 3600);
  // The id that joins this acceptance to an account later is for the server alone.
  expect(cookies.filter(({ httpOnly }) => httpOnly).length).toBeGreaterThan(0);

  const registered = await page.request.post('/api/register', { data: newCredentials() });
  expect(await registered.json()).toMatchObject({ disclaimerAccepted: true });
  await page.goto('/disclaimer');
  await expect(page).toHaveURL('/beta-welcome');
  // What scripts of the page can read of the cookies names no session.
  expect(await page.evaluate(() => document.cookie)).not.toMatch(/token|session/i);
});
