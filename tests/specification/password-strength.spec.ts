import { expect, test } from '../browser/fixtures.ts';
import { seenBefore } from './accounts.ts';

// The bar, its labels and the rules are in tests/src/auth-forms.test.tsx.
test('the list of a new password turns green rule by rule; shown and hidden again, its caret stays', async ({
  page,
  app,
}) => {
  await seenBefore(page.context(), app.url);
  await page.goto('/register');
  const rules = page.getByRole('list').filter({ hasText: 'At least 8 characters' }).getByRole('listitem');
  const met = async (typed: string): Promise<boolean[]> => {
    await page.getByLabel('Password', { exact: true }).fill(typed);
    const colours = await rules.evaluateAll((items) => items.map((item) => getComputedStyle(item).color));
    return colours.map(isGreen);
  };
  await expect.poll(() => met('Ab')).toEqual([false, true, true, false]);
  await expect.poll(() => met('1234567')).toEqual([false, false, false, true]);
  await expect.poll(() => met('12345678')).toEqual([true, false, false, true]);

  for (const { tab, label } of [
    { tab: 'Register', label: 'Password' },
    { tab: 'Register', label: 'Confirm Password' },
    { tab: 'Login', label: 'Password' },
  ]) {
    await test.step(`${label} of ${tab}`, async () => {
      await page.getByRole('tab', { name: tab }).click();
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
