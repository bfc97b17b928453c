import { showToast } from './toast-store.ts';

/** Tells that the file of something that opens could not be loaded. */
export function notifyUnavailable(): void {
  showToast({
    title: 'This could not be opened',
    description: navigator.onLine
      ? 'There may be a new version: reload the page.'
      : 'You are offline. Try again later.',
    variant: 'destructive',
  });
}
