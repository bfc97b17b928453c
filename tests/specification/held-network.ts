import type { Page, Route } from '@playwright/test';

/** Returns the scripts that stand between a person and any screen: those of a visit to `path`, once it is quiet. */
async function scriptsOf(page: Page, path: string): Promise<Set<string>> {
  const found = new Set<string>();
  const note = (request: { url(): string }): void => void found.add(new URL(request.url()).pathname);
  page.on('request', note);
  await page.goto(path);
  await page.waitForLoadState('networkidle');
  page.off('request', note);
  return found;
}

/**
 * Lets only the scripts of the screen at `known` arrive from now on; those of other screens do not, as on a line that
 * hangs. The returned function releases the held requests, for a page that has been left.
 */
export async function holdScreens(page: Page, known: string): Promise<() => Promise<void>> {
  const arrives = await scriptsOf(page, known);
  const held: Route[] = [];
  await page.route('**/*.js', (route) => {
    if (arrives.has(new URL(route.request().url()).pathname)) return route.continue();
    held.push(route);
    return undefined;
  });
  return async () => {
    await page.goto('about:blank');
    // A request of a page that is gone can no longer be answered.
    await Promise.all(held.splice(0).map((route) => route.abort().catch(() => undefined)));
  };
}

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
