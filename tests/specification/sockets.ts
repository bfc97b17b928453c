import type { Page } from '@playwright/test';

/** A socket as the page sees it, in times of the page's own clock. */
export type Socket = { madeAt: number; openedAt: number | null; closedAt: number | null };

/**
 * Every WebSocket of the pages to come, noted in the page: what the browser tells of them outside comes some time later.
 * To be called before the page is opened.
 */
export async function watchSockets(page: Page): Promise<() => Promise<Socket[]>> {
  await page.addInitScript(() => {
    const sockets: Socket[] = [];
    Reflect.set(window, 'seenSockets', sockets);
    window.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        const seen: Socket = { madeAt: Date.now(), openedAt: null, closedAt: null };
        sockets.push(seen);
        this.addEventListener('open', () => {
          seen.openedAt = Date.now();
        });
        this.addEventListener('close', () => {
          seen.closedAt = Date.now();
        });
      }
    };
  });
  return () => page.evaluate((): Socket[] => Reflect.get(window, 'seenSockets'));
}
