import { useSyncExternalStore } from 'react';
import { readTheme, type Theme, writeTheme } from '../storage/storage.ts';

/** Returns the theme of this browser, and a function that stores and applies another at once. */
export function useTheme(): [Theme, (next: Theme) => void] {
  return [useSyncExternalStore(subscribe, readTheme), writeTheme];
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('fairlead:theme', onChange);
  return () => window.removeEventListener('fairlead:theme', onChange);
}
