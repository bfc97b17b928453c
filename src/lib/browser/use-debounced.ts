import { useEffect, useState } from 'react';

/** The server is queried after a pause in typing, and not for every letter. */
export const TYPING_PAUSE_MS = 250;

/** Returns a value once it has not changed for a moment. */
export function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
