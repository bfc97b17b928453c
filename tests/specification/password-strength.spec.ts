import { expect, test } from '../browser/fixtures.ts';
import { seenBefore } from './accounts.ts';

/**
 * Each of these gives one point: 8 characters, 12 characters, an uppercase and a lowercase letter, a digit and another
 * character. What each is worth is held by tests/src/password-strength.test.ts.
 */
const SCORES = [
  { password: 'a', percent: 16, label: 'Weak' },
  { password: 'abcdefgh', percent: 33, label: 'Fair' },
  { password: 'aB1!efg', percent: 66, label: 'Moderate' },
  { password: 'aB1 efghijkl', percent: 100, label: 'Strong' },
] as const;
const LABELS = ['Weak', 'Fair', 'Moderate', 'Strong'];

const RULES = ['at least 8 characters', 'an uppercase letter', 'a lowercase letter', 'a number'];

test('the bar and the list follow each character of a new password', async ({ page, app }) => {
  await seenBefore(page.context(), app.url);
  await page.goto('/register');
  const password = page.getByLabel('Password', { exact: true });
  for (const { password: typed, percent, label } of SCORES) {
    await test.step(`${typed} is ${label}`, async () => {
      await password.fill(typed);
      await expect(page.getByText(label, { exact: true })).toBeVisible();
      for (const other of LABELS.filter((candidate) => candidate !== label))
        await expect(page.getByText(other, { exact: true })).toHaveCount(0);
      await expect(page.getByRole('meter')).toHaveAttribute('aria-valuenow', String(percent));
    });
  }
  // The list turns green rule by rule, and back.
  const rules = page.getByRole('list').filter({ hasText: 'At least 8 characters' }).getByRole('listitem');
  await expect(rules).toHaveText(RULES.map((rule) => new RegExp(`^${rule}`, 'i')));
  const met = async (typed: string): Promise<boolean[]> => {
    await password.fill(typed);
    const colours = await rules.evaluateAll((items) => items.map((item) => getComputedStyle(item).color));
    return colours.map(isGreen);
  };
  await expect.poll(() => met('')).toEqual([false, false, false, false]);
  await expect.poll(() => met('A')).toEqual([false, true, false, false]);
  await expect.poll(() => met('Ab')).toEqual([false, true, true, false]);
  await expect.poll(() => met('Ab1')).toEqual([false, true, true, true]);
  await expect.poll(() => met('Ab1defgh')).toEqual([true, true, true, true]);
  await expect.poll(() => met('1234567')).toEqual([false, false, false, true]);
  await expect.poll(() => met('12345678')).toEqual([true, false, false, true]);
});

test('a password is shown and hidden again with the caret where it was', async ({ page, app }) => {
  await seenBefore(page.context(), app.url);
  for (const { route, label } of [
    { route: '/register', label: 'Password' },
    { route: '/register', label: 'Confirm Password' },
    { route: '/login', label: 'Password' },
  ]) {
    await test.step(`${label} on ${route}`, async () => {
      if (!page.url().endsWith(route)) await page.goto(route);
      const password = page.getByLabel(label, { exact: true });
      const toggle = password.locator('xpath=..').getByRole('button');
      await expect(password).toHaveAttribute('type', 'password');
      await password.fill('Anchor');
      await password.press('ArrowLeft');
      await password.press('ArrowLeft');
      await toggle.click();
      await expect(password).toHaveAttribute('type', 'text');
      await page.keyboard.type('12');
      await expect(password).toHaveValue('Anch12or');
      await toggle.click();
      await expect(password).toHaveAttribute('type', 'password');
      await page.keyboard.type('3');
      await expect(password).toHaveValue('Anch123or');
    });
  }
});

/** More green than anything else, in whatever notation the browser computes a colour. */
function isGreen(colour: string): boolean {
  const [first = 0, second = 0, third = 0] = [...colour.matchAll(/-?[\d.]+/g)].map(([number]) => Number(number));
  if (colour.startsWith('oklch')) return second > 0.05 && third > 120 && third < 175;
  if (colour.startsWith('oklab')) return second < -0.03;
  return second > first * 1.3 && second > third * 1.2;
}
