import { expect, test } from '../browser/fixtures.ts';

// What the screens say is in tests/src/public-screens.test.tsx and tests/src/auth-forms.test.tsx.
test('the disclaimer scrolls; beta welcome opens its ways on within 50 px of the end, and at once where nothing scrolls', async ({
  page,
}) => {
  await page.setViewportSize({ width: 800, height: 400 });
  await page.goto('/disclaimer');
  const main = page.getByRole('main');
  const last = main.getByRole('heading', { name: 'Updates' });
  await expect(last).not.toBeInViewport();
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport();
  await main.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect(page).toHaveURL('/beta-welcome');
  await expect(main.getByText('Important Note')).toBeVisible();
  const pricing = main.getByRole('button', { name: 'View Pricing Options' });
  const dashboard = main.getByRole('button', { name: 'Go to Dashboard' });
  await expect(pricing).toBeDisabled();
  await expect(dashboard).toBeDisabled();

  // The innermost thing that scrolls, left so many pixels before its end.
  const leave = (px: number): Promise<void> =>
    page.evaluate((rest) => {
      const inner = [...document.querySelectorAll('main, main *')].filter(
        (element) =>
          element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY),
      );
      const scroller = inner.at(-1) ?? document.documentElement;
      scroller.scrollTop = scroller.scrollHeight - scroller.clientHeight - rest;
    }, px);
  await leave(60);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(pricing).toBeDisabled();
  await leave(50);
  await expect(pricing).toBeEnabled();
  await expect(dashboard).toBeEnabled();
  await pricing.click();
  await expect(page).toHaveURL('/subscription/pricing');

  await page.setViewportSize({ width: 1280, height: 4000 });
  await page.goBack();
  await expect(dashboard).toBeEnabled();
  await dashboard.click();
  await expect(page).toHaveURL('/auth?redirect=%2Fdashboard');
});
