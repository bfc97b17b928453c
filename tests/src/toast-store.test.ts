import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOAST_REMOVE_DELAY_MS } from '../../routers/schemas/limits.ts';
import { clearToasts, dismissToast, showToast, toasts } from '../../src/components/overlays/toast-store.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  clearToasts();
  vi.useRealTimers();
});

test('a closed toast stays in state for 1,000,000 ms and not one longer', () => {
  const id = showToast({ title: 'Logged out' });
  dismissToast(id);
  vi.advanceTimersByTime(TOAST_REMOVE_DELAY_MS - 1);
  expect(toasts.get()).toMatchObject([{ id, isOpen: false }]);
  vi.advanceTimersByTime(1);
  expect(toasts.get()).toEqual([]);
  expect(TOAST_REMOVE_DELAY_MS).toBe(1_000_000);
});

test('the removal of a closed toast does not take the next one away', () => {
  dismissToast(showToast({ title: 'Connected' }));
  vi.advanceTimersByTime(TOAST_REMOVE_DELAY_MS - 10);
  showToast({ title: 'Disconnected' });
  vi.advanceTimersByTime(TOAST_REMOVE_DELAY_MS);
  expect(toasts.get()).toMatchObject([{ title: 'Disconnected', isOpen: true }]);
});

test('closing a toast that was replaced changes nothing', () => {
  const replaced = showToast({ title: 'Connected' });
  showToast({ title: 'Disconnected' });
  const before = toasts.get();
  dismissToast(replaced);
  expect(toasts.get()).toBe(before);
});

test('clearing takes all toasts away at once and tells who listens', () => {
  const listener = vi.fn();
  const stop = toasts.subscribe(listener);
  showToast({ title: 'Session Expired', variant: 'destructive' });
  clearToasts();
  stop();
  showToast({ title: 'Connected' });
  expect(listener).toHaveBeenCalledTimes(2);
});
