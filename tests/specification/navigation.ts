import type { Page } from '@playwright/test';
import type { Route } from './route-table.ts';

/** The address and the title of a page. */
export type Place = { address: string; title: string };

/** Goes to an address of the app as a link would, without loading the page anew. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((target) => {
    history.pushState(null, '', target);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, address);
}

/** Waits until the screen of `row` stands at `address`, whatever follows a `#` in it; what stands there when it never does is the caller's to compare. */
export async function look(page: Page, address: string, row: Route): Promise<Place> {
  const { source, flags } = titlePattern(row);
  await page
    .waitForFunction(
      ([wanted, pattern, mode]) =>
        location.pathname + location.search === wanted &&
        new RegExp(pattern, mode).test(document.title) &&
        [...document.querySelectorAll('h1')].some((heading) => heading.checkVisibility()),
      [address.split('#')[0], source, flags] as const,
      { polling: 30, timeout: 15_000 },
    )
    .catch(() => null);
  return page.evaluate(() => ({ address: location.pathname + location.search, title: document.title }));
}

/** Returns the title to the letter where the specification has the words, else any that holds them. */
function titlePattern({ title }: Route): RegExp {
  if (typeof title === 'string') return new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')} · Fairlead$`);
  return new RegExp(`(?:${title.source}).* · Fairlead$`, title.flags);
}
