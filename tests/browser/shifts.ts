import { expect, type Page } from '@playwright/test';

/** The layout shift of each screen and act stays under this, a fifth of what the Core Web Vitals call good. */
export const SHIFT_MAX = 0.02;
export const LARGE = { width: 1280, height: 720 };

export type Shift = { value: number; what: string[] };

/** Runs in each page before its own scripts: writes down every shift that nobody's click has caused. */
export function watchShifts(): void {
  const shifts: Shift[] = [];
  const note = (entries: PerformanceEntryList): void => {
    for (const entry of entries) {
      if (Reflect.get(entry, 'hadRecentInput') === true) continue;
      const sources: { node: Node | null }[] = Reflect.get(entry, 'sources') ?? [];
      const what = sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 120) : String(node)));
      shifts.push({ value: Number(Reflect.get(entry, 'value')), what });
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  Reflect.set(window, 'readShifts', (): Shift[] => {
    note(observer.takeRecords());
    return shifts;
  });
}

export function drawFrames(page: Page, count: number): Promise<void> {
  return page.evaluate(async (frames) => {
    for (let drawn = 0; drawn < frames; drawn += 1) await new Promise(requestAnimationFrame);
  }, count);
}

export async function readShifts(page: Page): Promise<Shift[]> {
  // A shift is told after the frame that it happened in.
  await drawFrames(page, 2);
  return page.evaluate(() => {
    const read: () => Shift[] = Reflect.get(window, 'readShifts');
    return read();
  });
}

export function sumOf(shifts: readonly Shift[]): number {
  return shifts.reduce((total, { value }) => total + value, 0);
}

/**
 * Holds every call until half a second after the last click: the browser takes what moves before for moved by the click,
 * and nothing that an answer moves would be counted.
 */
export async function holdPastClicks(page: Page): Promise<void> {
  await page.addInitScript(() => addEventListener('click', () => performance.mark('click'), { capture: true }));
  await page.route('**/api/**', async (route) => {
    // The page may be left in the meantime.
    await page.waitForFunction(isPastClick).catch(() => undefined);
    await route.continue().catch(() => undefined);
  });
}

function isPastClick(): boolean {
  return performance.getEntriesByName('click').every(({ startTime }) => performance.now() > startTime + 600);
}

/** Does the act and waits for its end: nothing on the page may jump meanwhile. */
export async function expectSteady(page: Page, what: string, act: () => Promise<unknown>): Promise<void> {
  const before = (await readShifts(page)).length;
  await act();
  const shifts = (await readShifts(page)).slice(before);
  const where = `${what} at ${page.viewportSize()?.width} px`;
  expect.soft(sumOf(shifts), `${where}: ${JSON.stringify(shifts, null, 1)}`).toBeLessThan(SHIFT_MAX);
}
