import { expect, type Page } from '@playwright/test';

export const SMALL = { width: 360, height: 740 };

/** Neither theme may scroll sideways on a small telephone. */
export async function expectFits(page: Page, where: string): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wider, `${where}, ${theme}`).toBeLessThanOrEqual(0);
  }
}
