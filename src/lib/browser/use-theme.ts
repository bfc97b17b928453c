import { useSyncExternalStore } from 'react';
import { readTheme, type Theme, writeTheme } from '../storage/storage.ts';

/** Returns the theme of this browser, and a function that stores and applies another at once. */
export function useTheme(): [Theme, (next: Theme) => void] {
  return [useSyncExternalStore(subscribe, readTheme), writeTheme];
}

function subscribe(tell: () => void): () => void {
  window.addEventListener('fairlead:theme', tell);
  return () => window.removeEventListener('fairlead:theme', tell);
}
