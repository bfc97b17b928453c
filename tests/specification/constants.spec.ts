import type { Page } from '@playwright/test';
import { expect, test } from '../browser/fixtures.ts';
import { personOf } from './accounts.ts';
import { stepUntilVisible, stopClock } from './still-clock.ts';
import { toasts } from './toasts.ts';

/** Constants that no other file of this folder tests. Times are of a clock that the test moves. */
const TOAST_MS = 5_000;
const TOAST_WIDTH_PX = 420;

async function notify(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Send yourself a notification' }).fill(text);
  // The answer to the notification before is put off to the clock as well, and the button is busy until then.
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await stepUntilVisible(page, send);
  await send.click();
  await stepUntilVisible(page, toasts(page).filter({ hasText: text }));
}

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

test('a toast: one at a time, 5000 ms, F8, a swipe of 50 px, 420 px wide', async ({ page, app }) => {
  await page.clock.install();
  await personOf(page, app.url);
  await page.goto('/websocket-demo');
  await expect(page.getByText('ready')).toBeVisible();
  await stopClock(page);
  await test.step('the second takes the place of the first', async () => {
    await notify(page, 'first');
    await notify(page, 'second');
    await expect(toasts(page)).toHaveCount(1);
  });
  await test.step('it stays 5000 ms', async () => {
    await page.mouse.move(5, 5);
    await page.clock.runFor(TOAST_MS - 500);
    await expect(toasts(page)).toHaveCount(1);
    await page.clock.runFor(600);
    await expect(toasts(page)).toHaveCount(0);
  });
  await test.step('420 px from medium screens on, below as wide as the screen', async () => {
    await notify(page, 'third');
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

test('a tooltip opens after 700 ms, and at once when another closed less than 300 ms ago', async ({ page, app }) => {
  await page.clock.install();
  await personOf(page, app.url);
  await page.goto('/account');
  const mark = page.locator('time', { hasText: 'just now' }).first();
  // The tooltip comes after the first paint, and the mark is another element from then on.
  await expect(mark).toHaveAttribute('data-state', 'closed');
  await expect(page.getByText('The trial runs until')).toBeVisible();
  await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
  await mark.scrollIntoViewIfNeeded();
  await stopClock(page);
  const tooltip = page.getByRole('tooltip');
  const enter = async (): Promise<void> => {
    await mark.hover();
    await expect.poll(() => mark.evaluate((element) => element.matches(':hover'))).toBe(true);
  };
  // No time passes by the clock until it is gone: what follows is measured from then.
  const leave = (): Promise<void> =>
    expect(async () => {
      // A tooltip listens for the pointer a moment after it is seen; one that was missed has to be left once more.
      await enter();
      await page.mouse.move(5, 5);
      // The way from the mark to its tooltip is left open: only the next move shows that the pointer went elsewhere.
      await page.mouse.move(8, 8);
      await expect(tooltip).toHaveCount(0, { timeout: 500 });
    }).toPass();
  await enter();
  await page.clock.runFor(650);
  await expect(tooltip).toHaveCount(0);
  await page.clock.runFor(100);
  await expect(tooltip).toHaveCount(1);
  await test.step('again within 300 ms', async () => {
    await leave();
    await page.clock.runFor(200);
    await enter();
    await page.clock.runFor(50);
    await expect(tooltip).toHaveCount(1);
  });
  await test.step('again after more than 300 ms', async () => {
    await leave();
    await page.clock.runFor(400);
    await enter();
    await page.clock.runFor(650);
    await expect(tooltip).toHaveCount(0);
    await page.clock.runFor(100);
    await expect(tooltip).toHaveCount(1);
  });
});
