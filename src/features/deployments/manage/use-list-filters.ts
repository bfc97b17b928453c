import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { TYPING_PAUSE_MS } from '../../../lib/use-debounced.ts';

/** Filters of a list, kept in the address: a link to it shows the same, and Back undoes it. */
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

/** The value of a filter when it is one of those that there are; what else stands in an address is left alone. */
export function oneOf<Value extends string>(values: readonly Value[], given: string | null): Value | undefined {
  return values.find((value) => value === given);
}

/** What is typed is seen at once and asked a moment later. */
export function useTyped(asked: string, ask: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(asked);
  const [lastAsked, setLastAsked] = useState(asked);
  // The address changed by itself: Back, or "Clear filters".
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
