import { useState } from 'react';
import { readTheme, type Theme, writeTheme } from './storage.ts';

/** The theme of this browser, and the choice of another, which is stored and applied at once. */
export function useTheme(): [Theme, (next: Theme) => void] {
  const [theme, setTheme] = useState(readTheme);
  function choose(next: Theme) {
    writeTheme(next);
    setTheme(next);
  }
  return [theme, choose];
}
