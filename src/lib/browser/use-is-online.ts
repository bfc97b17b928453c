import { createStore, useStore } from '../store.ts';

const isOnline = createStore(navigator.onLine, () => {
  const look = () => isOnline.set(navigator.onLine);
  look();
  addEventListener('online', look);
  addEventListener('offline', look);
  return () => {
    removeEventListener('online', look);
    removeEventListener('offline', look);
  };
});

/** Returns false when the browser knows that it has no network; true does not mean that a server answers. */
export function useIsOnline(): boolean {
  return useStore(isOnline);
}
