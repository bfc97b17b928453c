import type { Page } from '@playwright/test';

/**
 * Holds calls to `url` from now on, until the returned function is called; later calls pass at once. The promise is
 * made beforehand, because a screen may say that it waits before its call has come here.
 */
export async function holdCalls(page: Page, url: string | RegExp): Promise<() => void> {
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    // The page may have been left in the meantime.
    await route.continue().catch(() => undefined);
  });
  return letGo;
}
