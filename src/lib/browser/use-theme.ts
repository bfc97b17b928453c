import { useState } from 'react';
import { readTheme, type Theme, writeTheme } from '../storage.ts';

/** Returns the theme of this browser, and a function that stores and applies another at once. */
export function useTheme(): [Theme, (next: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  function choose(next: Theme) {
    writeTheme(next);
    setTheme(next);
  }
  return [theme, choose];
}
