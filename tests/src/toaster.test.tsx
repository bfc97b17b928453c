import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { clearToasts, showToast } from '../../src/components/overlays/toast-store.ts';
import { liftOver, Toaster } from '../../src/components/overlays/toaster.tsx';

test.each([
  ['a main button', 'data-variant', 'primary'],
  ['another button', 'data-variant', 'secondary'],
  ['a warning', 'data-notice', 'warn'],
])('it makes way for %s that comes while it is open', async (_what, attribute, value) => {
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  const [card, bottom] = [new DOMRect(16, 600, 328, 84), new DOMRect(16, 640, 328, 44)];
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return this instanceof HTMLButtonElement ? bottom : card;
  });
  try {
    flushSync(() => root.render(<Toaster />));
    const lift = () => document.querySelector('[data-toast]')?.parentElement?.style.translate;
    await vi.waitFor(() => {
      flushSync(() => void showToast({ title: 'Trial started' }));
      expect(lift()).toBe('0 0px');
    });
    const publish = page.parentElement?.appendChild(document.createElement('button'));
    publish?.setAttribute(attribute, value);
    const looksAgain = (liftPx: number) =>
      vi.waitFor(() => {
        window.dispatchEvent(new Event('scroll'));
        expect(lift()).toBe(`0 ${-liftPx}px`);
      });
    await looksAgain(52);
    publish?.remove();
    await looksAgain(0);
  } finally {
    root.unmount();
    page.remove();
    clearToasts();
    vi.restoreAllMocks();
  }
});

test('one toast is on the page at a time, and it stays 5000 ms', async () => {
  const page = document.createElement('div');
  document.body.append(page);
  const root = createRoot(page);
  const pass = async (ms: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms);
    flushSync(() => undefined);
  };
  const seen = () => [...document.querySelectorAll('[data-toast]')].map((toast) => toast.textContent);
  try {
    flushSync(() => root.render(<Toaster />));
    // It listens a moment after it was drawn.
    await vi.waitFor(() => {
      flushSync(() => void showToast({ title: 'first' }));
      expect(seen()).toEqual(['first']);
    });
    vi.useFakeTimers();
    flushSync(() => void showToast({ title: 'second' }));
    await pass(4_900);
    expect(seen()).toEqual(['second']);
    await pass(200);
    expect(seen()).toEqual([]);
  } finally {
    root.unmount();
    page.remove();
    clearToasts();
    vi.useRealTimers();
  }
});

const card = new DOMRect(16, 600, 328, 84);

test('a toast that comes from below goes above the main buttons, and stays where it covers none', () => {
  const above = new DOMRect(16, 500, 328, 44);
  const beside = new DOMRect(400, 620, 120, 44);
  expect(liftOver([above, beside], card)).toBe(0);
  const below = new DOMRect(16, 640, 328, 44);
  expect(liftOver([below], card)).toBe(52);
  // Above the lower of the two it would lie on the upper one.
  expect(liftOver([new DOMRect(16, 580, 328, 44), below], card)).toBe(112);
});

test('it never goes past the middle of the window', () => {
  const buttons = [new DOMRect(16, window.innerHeight / 2 + 20, 328, 44)];
  expect(liftOver(buttons, new DOMRect(16, window.innerHeight / 2 + 10, 328, 84))).toBe(0);
});
