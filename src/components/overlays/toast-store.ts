import type { ReactNode } from 'react';
import { TOAST_DURATION_MS, TOAST_LIMIT, TOAST_REMOVE_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { createStore, type Store } from '../../lib/store.ts';

export type ToastVariant = 'default' | 'destructive';

export type ToastOptions = {
  title: string;
  description?: ReactNode;
  variant?: ToastVariant | undefined;
  durationMs?: number | undefined;
};

export type ToastItem = {
  id: number;
  title: string;
  description: ReactNode;
  variant: ToastVariant;
  durationMs: number;
  isOpen: boolean;
  shownAt: number;
};

/** An act leads away sooner than this after its toast. */
const LEADS_AWAY_MS = 1_500;

const store = createStore<readonly ToastItem[]>([]);
let lastId = 0;
const removals = new Map<number, ReturnType<typeof setTimeout>>();

/** Shows a toast, which replaces the previous one, since one is shown at a time. Returns its id for `dismissToast`. */
export function showToast({
  title,
  description,
  variant = 'default',
  durationMs = TOAST_DURATION_MS,
}: ToastOptions): number {
  lastId += 1;
  const item = { id: lastId, title, description, variant, durationMs, isOpen: true, shownAt: Date.now() };
  setToasts([item, ...store.get()].slice(0, TOAST_LIMIT));
  return item.id;
}

/** Closes a toast; the closed one stays in state for `TOAST_REMOVE_DELAY_MS`. */
export function dismissToast(id: number): void {
  if (!store.get().some((toast) => toast.id === id && toast.isOpen)) return;
  removals.set(
    id,
    setTimeout(() => removeToast(id), TOAST_REMOVE_DELAY_MS),
  );
  setToasts(store.get().map((toast) => (toast.id === id ? { ...toast, isOpen: false } : toast)));
}

/**
 * Closes a toast of another screen, or from before a dialog, whose fields it would cover. An act shows its toast and
 * then leads away: that one stays, as an error does.
 */
export function dismissLeftToasts(): void {
  for (const { id, variant, shownAt } of store.get())
    if (variant === 'default' && Date.now() - shownAt > LEADS_AWAY_MS) dismissToast(id);
}

/** Removes every toast at once. */
export function clearToasts(): void {
  setToasts([]);
}

/** The toasts in state, newest first. */
export const toasts: Omit<Store<readonly ToastItem[]>, 'set'> = store;

function removeToast(id: number): void {
  setToasts(store.get().filter((toast) => toast.id !== id));
}

function setToasts(next: readonly ToastItem[]): void {
  for (const [id, timer] of removals) {
    if (next.some((toast) => toast.id === id)) continue;
    clearTimeout(timer);
    removals.delete(id);
  }
  store.set(next);
}
