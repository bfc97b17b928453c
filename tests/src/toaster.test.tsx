import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { clearToasts, showToast, toasts } from '../../src/components/overlays/toast-store.ts';
import { liftOver, Toaster } from '../../src/components/overlays/toaster.tsx';

test.each([
  ['a main button', '<button data-variant="primary"></button>'],
  ['another button', '<button data-variant="secondary"></button>'],
  ['a warning', '<p data-notice="warn"></p>'],
  ['a menu', '<div role="menu"></div>'],
  ['a field with the focus', '<input>'],
])('it makes way for %s that comes while it is open', async (_what, html) => {
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  const [card, bottom] = [new DOMRect(16, 600, 328, 84), new DOMRect(16, 640, 328, 44)];
  const there = document.createElement('div');
  there.innerHTML = html;
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return this.parentElement === there ? bottom : card;
  });
  try {
    flushSync(() => root.render(<Toaster />));
    const lift = () => document.querySelector('[data-toast]')?.parentElement?.style.translate;
    await vi.waitFor(() => {
      flushSync(() => void showToast({ title: 'Trial started' }));
      expect(lift()).toBe('0 0px');
    });
    document.body.append(there);
    there.querySelector('input')?.focus();
    const looksAgain = (liftPx: number) =>
      vi.waitFor(() => {
        window.dispatchEvent(new Event('scroll'));
        expect(lift()).toBe(`0 ${-liftPx}px`);
      });
    await looksAgain(52);
    there.remove();
    await looksAgain(0);
  } finally {
    root.unmount();
    page.remove();
    there.remove();
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
  expect(liftOver([above, beside], card, 384)).toBe(0);
  const below = new DOMRect(16, 640, 328, 44);
  expect(liftOver([below], card, 384)).toBe(52);
  // Above the lower of the two it would lie on the upper one.
  expect(liftOver([new DOMRect(16, 580, 328, 44), below], card, 384)).toBe(112);
});

test('it never goes higher than it may', () => {
  expect(liftOver([new DOMRect(16, 404, 328, 44)], new DOMRect(16, 394, 328, 84), 384)).toBe(0);
});

test('over a dialog it makes way for the buttons of that dialog, however high it has to go', async () => {
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  const dialog = document.createElement('div');
  dialog.setAttribute('role', 'alertdialog');
  dialog.dataset.state = 'open';
  dialog.innerHTML = '<button data-variant="secondary"></button>';
  const below = document.createElement('button');
  below.dataset.variant = 'primary';
  document.body.append(below, dialog);
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    if (this === below) return new DOMRect(16, 100, 328, 600);
    if (this instanceof HTMLButtonElement) return new DOMRect(16, 300, 328, 340);
    // It is looked at again in the next frame, where it has been moved to.
    const moved = / (-?\d+)px/.exec(this.parentElement?.style.translate ?? '')?.[1] ?? 0;
    return new DOMRect(card.x, card.y + Number(moved), card.width, card.height);
  });
  try {
    flushSync(() => root.render(<Toaster />));
    await vi.waitFor(() => {
      flushSync(() => void showToast({ title: 'Saved' }));
      expect(document.querySelector('[data-toast]')?.parentElement?.style.translate).toBe('0 -392px');
    });
  } finally {
    root.unmount();
    for (const element of [page, dialog, below]) element.remove();
    clearToasts();
    vi.restoreAllMocks();
  }
});

test('what was said on a screen that is left goes with it, but not an error, nor what was said on leaving', async () => {
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  const open = () => toasts.get().flatMap(({ title, isOpen }) => (isOpen ? [title] : []));
  const leave = (path: string) => flushSync(() => history.pushState(null, '', path));
  vi.useFakeTimers();
  try {
    flushSync(() => root.render(<Toaster />));
    for (const [title, variant, ageMs, stays] of [
      ['Copied', 'default', 2_000, false],
      ['Deleted', 'default', 1_000, true],
      ['Not saved', 'destructive', 2_000, true],
    ] as const) {
      flushSync(() => void showToast({ title, variant }));
      await vi.advanceTimersByTimeAsync(ageMs);
      leave(`/${title}`);
      await vi.advanceTimersByTimeAsync(0);
      expect(open()).toEqual(stays ? [title] : []);
    }
  } finally {
    root.unmount();
    page.remove();
    clearToasts();
    vi.useRealTimers();
    history.replaceState(null, '', '/');
  }
});
