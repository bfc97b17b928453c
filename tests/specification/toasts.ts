import type { Locator, Page } from '@playwright/test';
import { expect } from '../browser/fixtures.ts';

export type Shown = { title: string; description: string; variant: string };

/** Returns the one toast on the screen. */
export function toasts(page: Page): Locator {
  return page.locator('[data-toast]');
}

/** Notes every toast of the pages to come, those too that are gone again; to be called before the page is opened. */
export async function watchToasts(page: Page): Promise<Shown[]> {
  const shown: Shown[] = [];
  await page.exposeFunction('noteShown', (toast: Shown) => void shown.push(toast));
  await page.addInitScript(() => {
    const seen = new WeakSet<Element>();
    const note = (toast: Element): void => {
      const send: unknown = Reflect.get(window, 'noteShown');
      if (seen.has(toast) || typeof send !== 'function') return;
      seen.add(toast);
      const [title = '', description = ''] = [...toast.querySelectorAll('div')]
        .filter(({ childElementCount }) => childElementCount === 0)
        .map(({ textContent }) => textContent);
      send({ title, description, variant: toast.getAttribute('data-toast') ?? '' });
    };
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll('[data-toast]')) note(toast);
    }).observe(document, { childList: true, subtree: true });
  });
  return shown;
}

/** `either` where the specification does not say whether the toast is destructive. */
export async function expectShown(
  shown: Shown[],
  title: string,
  description: string,
  variant: 'default' | 'destructive' | 'either' = 'default',
): Promise<void> {
  const fits = variant === 'either' ? { title, description } : { title, description, variant };
  await expect
    .poll(() => shown, { message: `the toast ${title}: ${description}` })
    .toContainEqual(expect.objectContaining(fits));
}
