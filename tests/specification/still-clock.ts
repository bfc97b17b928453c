import { expect, type Locator, type Page } from '@playwright/test';

/**
 * From here the installed clock moves only when it is told to, so that what takes 500 ms is seen at 450 and at 550 on
 * any machine. Calls and screens go on meanwhile; what they put off for a moment comes with the next step of the clock.
 */
export async function stopClock(page: Page): Promise<void> {
  const now = await page.evaluate(() => Date.now());
  // A moment ahead: between the question and the stop the clock still runs.
  await page.clock.pauseAt(now + 1_000);
}

/** Moves the stopped clock by small steps until `holds`, and so not much past the moment when it first does. */
export async function stepUntil(
  page: Page,
  holds: () => boolean | Promise<boolean>,
  what: string,
  stepMs = 1,
): Promise<void> {
  await expect
    .poll(
      async () => {
        if (await holds()) return true;
        await page.clock.runFor(stepMs);
        return holds();
      },
      { message: what, intervals: [0, 1, 1, 2, 5] },
    )
    .toBe(true);
}

/** A screen is shown a moment after its code has come, and that moment is of the clock as well. */
export async function stepUntilVisible(page: Page, locator: Locator): Promise<void> {
  await stepUntil(page, () => locator.isVisible(), `${locator} is seen`, 10);
}

export function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return `${pathname}${search}`;
}
