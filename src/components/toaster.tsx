import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { currentToasts, subscribeToToasts } from './toast-store.ts';

const loadArea = async () => ({ default: (await import('./toast-area.tsx')).ToastArea });
const ToastArea = lazy(loadArea);

/** Long enough after the start that the first paint has the network to itself. */
const FETCH_AFTER_MS = 1_500;

/**
 * The place of the toasts. Its code is no part of a visitor's first page: it is fetched with the first toast, or soon
 * after the start, so that a toast about a lost network needs no network.
 */
export function Toaster() {
  const hasToasts = useSyncExternalStore(subscribeToToasts, () => currentToasts().length > 0);
  const [isWanted, setWanted] = useState(false);

  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), FETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  return <Suspense fallback={null}>{(isWanted || hasToasts) && <ToastArea />}</Suspense>;
}
