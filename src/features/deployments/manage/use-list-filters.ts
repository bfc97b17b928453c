import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { TYPING_PAUSE_MS } from '../../../lib/browser/use-debounced.ts';

/** Holds the filters of a list in the address: a link to it shows the same, and Back undoes a change. */
export function useListFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();

  function set(name: Name, value: string | null): void {
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === null || value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  }

  return {
    get: (name: Name) => params.get(name),
    set,
    isFiltered: names.some((name) => params.has(name)),
    clear: () => setParams({}, { replace: true }),
  };
}

/** Returns a filter's value if it is one of the options; other text in the address is ignored. */
export function oneOf<Value extends string>(values: readonly Value[], given: string | null): Value | undefined {
  return values.find((value) => value === given);
}

/** Shows typed text at once, and queries it a moment later. */
export function useTyped(asked: string, ask: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(asked);
  const [lastAsked, setLastAsked] = useState(asked);
  // The address changed by other means: Back, or "Clear filters".
  if (asked !== lastAsked) {
    setLastAsked(asked);
    setTyped(asked);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed starts the pause
  useEffect(() => {
    if (typed === asked) return;
    const timer = setTimeout(() => ask(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
