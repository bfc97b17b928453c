import { TOAST_DURATION_MS, TOAST_LIMIT, TOAST_REMOVE_DELAY_MS } from '../../routers/schemas/limits.ts';

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

let toasts: readonly ToastItem[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
const removals = new Map<number, ReturnType<typeof setTimeout>>();

/**
 * Shows a toast; it takes the place of the one before, since one is shown at a time (specification, sections 2 and 9).
 * Gives back its id for `dismissToast`.
 */
export function showToast({
  title,
  description,
  variant = 'default',
  durationMs = TOAST_DURATION_MS,
}: ToastOptions): number {
  lastId += 1;
  const item: ToastItem = { id: lastId, title, description, variant, durationMs, isOpen: true };
  setToasts([item, ...toasts].slice(0, TOAST_LIMIT));
  return item.id;
}

/** Closes a toast; the closed one stays in state for the removal delay of the specification, section 9. */
export function dismissToast(id: number): void {
  if (!toasts.some((toast) => toast.id === id && toast.isOpen)) return;
  removals.set(
    id,
    setTimeout(() => removeToast(id), TOAST_REMOVE_DELAY_MS),
  );
  setToasts(toasts.map((toast) => (toast.id === id ? { ...toast, isOpen: false } : toast)));
}

/** Takes every toast away at once (specification, section 4: the hook that clears all). */
export function clearToasts(): void {
  setToasts([]);
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentToasts(): readonly ToastItem[] {
  return toasts;
}

function removeToast(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id));
}

function setToasts(next: readonly ToastItem[]): void {
  toasts = next;
  for (const [id, timer] of removals) {
    if (next.some((toast) => toast.id === id)) continue;
    clearTimeout(timer);
    removals.delete(id);
  }
  for (const listener of listeners) listener();
}
