import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { Sheet } from '../../src/components/overlays/sheet.tsx';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { MobileMenu, type MobileMenuProps } from '../../src/layouts/mobile-menu.tsx';

function showMenu(load: NonNullable<MobileMenuProps['load']>) {
  const page = document.body.appendChild(document.createElement('main'));
  const root = createRoot(page);
  flushSync(() => root.render(<MobileMenu renderLinks={() => <a href="/about">About</a>} load={load} />));
  const opener = page.querySelector('button') ?? expect.fail('There is no button');
  return {
    opener,
    links: () => document.querySelectorAll('[role=dialog] a').length,
    [Symbol.dispose]() {
      flushSync(() => root.unmount());
      page.remove();
    },
  };
}

test('a press opens the menu when its file has come, and the focus returns from it to the button', async () => {
  let arrive = (_: typeof Sheet): void => {};
  const loading = new Promise<typeof Sheet>((resolve) => {
    arrive = resolve;
  });
  using menu = showMenu(() => loading);
  flushSync(() => menu.opener.click());
  expect([menu.links(), menu.opener.getAttribute('aria-expanded')]).toEqual([0, 'true']);
  arrive(Sheet);
  await vi.waitFor(() => expect(menu.links()).toBe(1));
  const dialog = document.querySelector('[role=dialog]');
  expect(dialog?.contains(document.activeElement)).toBe(true);
  flushSync(
    () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })),
  );
  await vi.waitFor(() => expect(document.activeElement).toBe(menu.opener));
  expect([menu.links(), menu.opener.getAttribute('aria-expanded')]).toEqual([0, 'false']);
});

test('a press that still waits for its file is taken back by another', async () => {
  let arrive = (_: typeof Sheet): void => {};
  const loading = new Promise<typeof Sheet>((resolve) => {
    arrive = resolve;
  });
  using menu = showMenu(() => loading);
  flushSync(() => menu.opener.click());
  flushSync(() => menu.opener.click());
  arrive(Sheet);
  await loading.then(() => new Promise(setImmediate));
  expect([menu.links(), menu.opener.getAttribute('aria-expanded')]).toEqual([0, 'false']);
});

test('what comes ahead by pointing at the button opens at once', async () => {
  // A page where the button is not seen does not load it by itself.
  vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue(Object.assign([], { item: () => null }));
  const load = vi.fn(async () => Sheet);
  using menu = showMenu(load);
  await new Promise((resolve) => setTimeout(resolve));
  expect(load).not.toHaveBeenCalled();
  menu.opener.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  expect(load).toHaveBeenCalledOnce();
  await Promise.resolve();
  flushSync(() => menu.opener.click());
  expect(menu.links()).toBe(1);
});

test('a menu whose file did not come says so, and the next press opens it', async () => {
  let isOnline = false;
  using menu = showMenu(async () => {
    if (!isOnline) throw new TypeError('Failed to fetch dynamically imported module: /assets/sheet.js');
    return Sheet;
  });
  menu.opener.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  flushSync(() => menu.opener.click());
  await vi.waitFor(() => expect(toasts.get().map(({ title }) => title)).toEqual(['This could not be opened']));
  await vi.waitFor(() => expect(menu.opener.getAttribute('aria-expanded')).toBe('false'));
  isOnline = true;
  menu.opener.click();
  await vi.waitFor(() => expect(menu.links()).toBe(1));
});
