import { expect, type Locator, type Page } from '@playwright/test';

/** The clock is stopped this far ahead, because it still runs between the question for the time and the stop. */
const AHEAD_MS = 100;

/**
 * Moves the installed clock only on command from here on, so that a wait of 500 ms is seen at 450 and at 550 on any
 * machine. Calls and screens go on meanwhile; delayed work of theirs comes with the next step of the clock.
 */
export async function stopClock(page: Page): Promise<void> {
  // A busy machine may need longer than that moment. The clock stands after such a stop as well, so the next one holds.
  await expect(async () => {
    const now = await page.evaluate(() => Date.now());
    await page.clock.pauseAt(now + AHEAD_MS);
  }).toPass();
}

/**
 * Moves the stopped clock by small steps until `holds`, and so not much past the moment when it first does. How often it
 * moves depends on the machine: nothing may be measured from its end, except by the page's own clock.
 */
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
