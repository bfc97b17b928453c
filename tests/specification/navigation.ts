import { expect, type Page } from '@playwright/test';
import { type Layout, type Route, rowOf } from './route-table.ts';

/** The facts of a place that a person sees: its address, its name, its layout, and the highlighted entry. */
export type Place = {
  address: string;
  title: string;
  headings: string[];
  layout: Layout | 'neither';
  current: string[];
};

/** Goes to an address of the app as a link would, without loading the page anew. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((target) => {
    history.pushState(null, '', target);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, address);
}

/** Waits until the screen of `row` stands at `address`; what stands there when it never does is the caller's to compare. */
export async function look(page: Page, address: string, row: Route): Promise<Place> {
  const { source, flags } = titlePattern(row);
  await page
    .waitForFunction(
      ([wanted, pattern, mode]) =>
        location.pathname + location.search === wanted &&
        new RegExp(pattern, mode).test(document.title) &&
        [...document.querySelectorAll('h1')].some((heading) => heading.checkVisibility()),
      [address, source, flags] as const,
      { polling: 30, timeout: 15_000 },
    )
    .catch(() => null);
  return page.evaluate(readPlace);
}

/** Compares a place with its row, softly: one route that is wrong hides no other. */
export function compare(place: Place, address: string, row: Route, step: string): void {
  expect.soft(place.address, `${step}: where it leads`).toBe(address);
  expect.soft(place.title, `${step}: the document's title`).toMatch(titlePattern(row));
  expect.soft(place.layout, `${step}: the layout`).toBe(row.layout);
  expect.soft(place.headings, `${step}: one heading of the first level`).toHaveLength(1);
  if (row.layout === 'sidebar') {
    expect.soft(`${place.headings[0]} · Fairlead`, `${step}: the heading is the title`).toBe(place.title);
  }
  if (row.current === 'any') expect.soft(place.current.length, `${step}: highlighted entries`).toBeLessThan(2);
  else expect.soft(place.current, `${step}: the highlighted entry`).toEqual(row.current === null ? [] : [row.current]);
}

export function rowAt(address: string, rows: readonly Route[]): Route {
  const row = rowOf(address, rows);
  if (row === undefined) throw new Error(`The table has no row for ${address}`);
  return row;
}

/** Returns the title to the letter where the specification has the words, else any that holds them. */
function titlePattern({ title }: Route): RegExp {
  if (typeof title === 'string') return new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')} · Fairlead$`);
  return new RegExp(`(?:${title.source}).* · Fairlead$`, title.flags);
}

/** Runs in the page: nothing from outside may be used here. */
function readPlace(): Place {
  const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });
  const textOf = (element: Element): string => (element.textContent ?? '').trim();
  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)].filter(isSeen);
  const hasTagline = all('aside *, nav *, header *').some((element) => textOf(element) === 'Fast domain deployment');
  const topBar = all('header a, nav a').map(textOf);
  const isPlain = ['Home', 'Dashboard', 'About'].every((entry) => topBar.includes(entry));
  return {
    address: location.pathname + location.search,
    title: document.title,
    headings: all('h1').map(textOf),
    layout: hasTagline ? 'sidebar' : isPlain ? 'plain' : 'neither',
    // A badge beside an entry is no part of its name.
    current: all('nav a[aria-current="page"], aside a[aria-current="page"], header a[aria-current="page"]')
      .map((entry) => textOf(entry).replace(/\s*(New|Beta)$/, ''))
      .filter((entry) => entry !== 'Fairlead'),
  };
}
