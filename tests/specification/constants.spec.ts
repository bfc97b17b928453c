import type { Page } from '@playwright/test';
import { expect, test } from '../browser/fixtures.ts';
import { personOf } from './accounts.ts';
import { stepUntilVisible, stopClock } from './still-clock.ts';
import { toasts } from './toasts.ts';

const TOAST_WIDTH_PX = 420;

async function swipe(page: Page, distancePx: number): Promise<void> {
  const box = await toasts(page).boundingBox();
  if (box === null) throw new Error('No toast to swipe.');
  const [x, y] = [box.x + 30, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + distancePx / 2, y, { steps: 4 });
  await page.mouse.move(x + distancePx, y, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(5, 5);
}

// That one is shown at a time, for 5000 ms, is in tests/src/toaster.test.tsx, and the delays of a tooltip in tooltip.test.tsx.
test('a toast: F8, a swipe of 50 px, 420 px wide', async ({ page, app }) => {
  await page.clock.install();
  await personOf(page, app.url);
  await page.goto('/websocket-demo');
  await expect(page.getByText('ready')).toBeVisible();
  await stopClock(page);
  await page.getByRole('textbox', { name: 'Send yourself a notification' }).fill('Ahoy');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await stepUntilVisible(page, toasts(page).filter({ hasText: 'Ahoy' }));
  await test.step('420 px from medium screens on, below as wide as the screen', async () => {
    for (const { width, least, most } of [
      { width: 1280, least: TOAST_WIDTH_PX - 40, most: TOAST_WIDTH_PX },
      { width: 768, least: TOAST_WIDTH_PX - 40, most: TOAST_WIDTH_PX },
      { width: 767, least: 700, most: 767 },
    ]) {
      await page.setViewportSize({ width, height: 720 });
      const wide = async (): Promise<number> => (await toasts(page).boundingBox())?.width ?? 0;
      await expect
        .poll(async () => {
          const px = await wide();
          return px >= least && px <= most ? 'fits' : px;
        }, `at ${width} px`)
        .toBe('fits');
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  await test.step('F8 leads to it', async () => {
    const isInside = (): Promise<boolean> =>
      page.evaluate(() => {
        const region = document.activeElement?.closest('[role="region"]');
        return region?.querySelector('[data-toast]') instanceof Element;
      });
    expect(await isInside()).toBe(false);
    await page.keyboard.press('F8');
    await expect.poll(isInside).toBe(true);
    await page.getByRole('textbox', { name: 'Send yourself a notification' }).focus();
  });
  await test.step('a swipe of less than 50 px leaves it, one of more takes it away', async () => {
    await swipe(page, 40);
    await expect(toasts(page)).toHaveCount(1);
    await swipe(page, 60);
    await expect(toasts(page)).toHaveCount(0);
  });
});
