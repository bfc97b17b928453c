import { TOAST_DURATION_MS, TOAST_LIMIT, TOAST_REMOVE_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { createStore, type Store } from '../../lib/store.ts';

export type ToastVariant = 'default' | 'destructive';

export type ToastOptions = {
  title: string;
  description?: string | undefined;
  variant?: ToastVariant | undefined;
  durationMs?: number | undefined;
};

export type ToastItem = {
  id: number;
  title: string;
  description: string | undefined;
  variant: ToastVariant;
  durationMs: number;
  isOpen: boolean;
};

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
  const item: ToastItem = { id: lastId, title, description, variant, durationMs, isOpen: true };
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
