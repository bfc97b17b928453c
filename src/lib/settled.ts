import { useEffect, useState } from 'react';

/** Typing is followed by a question to the server, not accompanied by one for every letter. */
export const TYPING_PAUSE_MS = 250;

/** The value once it has not changed for a moment. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
