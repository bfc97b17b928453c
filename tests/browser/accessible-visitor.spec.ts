import { expectAccessible, STILL } from './axe.ts';
import { expect, seeDisclaimer, test } from './fixtures.ts';

test.use(STILL);

const AFTER_DISCLAIMER = [
  '/beta-welcome',
  '/',
  '/login',
  '/register',
  '/pricing',
  '/subscription/pricing',
  '/no-such-screen',
];

test('the disclaimer and the screens of a visitor are accessible at every width in both themes', async ({ page }) => {
  await page.goto('/disclaimer');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page, '/disclaimer');
  await seeDisclaimer(page);
  for (const path of AFTER_DISCLAIMER) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectAccessible(page, path);
  }
});
