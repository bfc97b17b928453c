import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { clearToasts, currentToasts } from '../../src/components/toast-store.ts';
import { type MenuProps, menuButtonOf } from '../../src/layouts/menu-button.tsx';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  clearToasts();
});

const Links = ({ isOpen, onOpenChange }: MenuProps) => (
  <button type="button" hidden={!isOpen} onClick={() => onOpenChange(false)}>
    Close
  </button>
);

test('a menu is fetched with the first tap and kept; where it did not come, a toast says so and the next tap asks again', async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const load = vi.fn(async () => ({ default: Links }));
  load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module: /assets/menu.js'));
  const MenuButton = menuButtonOf(load);
  const page = document.createElement('main');
  const root = createRoot(page);
  await act(async () => root.render(<MenuButton />));
  const [opener] = page.querySelectorAll('button');
  const tap = (button: Element | null | undefined) =>
    act(async () => void button?.dispatchEvent(new MouseEvent('click', { bubbles: true })));
  expect(load).not.toHaveBeenCalled();

  await tap(opener);
  expect(currentToasts().map(({ title }) => title)).toEqual(['Could not open']);
  expect(opener?.getAttribute('aria-expanded')).toBe('false');

  await tap(opener);
  expect(opener?.getAttribute('aria-expanded')).toBe('true');
  const [, close] = page.querySelectorAll('button');
  expect(close?.hidden).toBe(false);
  await tap(close);
  expect([opener?.getAttribute('aria-expanded'), close?.hidden, page.contains(close ?? null)]).toEqual([
    'false',
    true,
    true,
  ]);
  await tap(opener);
  expect(close?.hidden).toBe(false);
  expect(load).toHaveBeenCalledTimes(2);
  await act(async () => root.unmount());
});
