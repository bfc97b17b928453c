import { useSyncExternalStore } from 'react';

/** A value outside of React, so that code without a component can change it and components can follow it. */
export type Store<Value> = {
  get(): Value;
  /** Sets a new value, never the old one changed in place: the same value notifies nobody. */
  set(next: Value): void;
  /** Calls `listener` after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
};

/**
 * Creates a store. `onUse` runs when the first listener subscribes, and the function that it returns when the last one
 * has left: the place for a timer or an event listener that costs nothing while it is not needed.
 */
export function createStore<Value>(initial: Value, onUse?: () => () => void): Store<Value> {
  let value = initial;
  let stop: (() => void) | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      // Each subscription counts for itself, even if two share a function.
      const own = () => listener();
      listeners.add(own);
      if (listeners.size === 1) stop = onUse?.();
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stop?.();
      };
    },
  };
}

/**
 * Returns the value of a store in a component, which renders again when it changes. `select` picks a part of it and
 * must return the same part for the same value: a part that is built anew on every call would render without end.
 */
export function useStore<Value>(store: Omit<Store<Value>, 'set'>): Value;
export function useStore<Value, Selected>(
  store: Omit<Store<Value>, 'set'>,
  select: (value: Value) => Selected,
): Selected;
export function useStore<Value>(
  store: Omit<Store<Value>, 'set'>,
  select: (value: Value) => unknown = (value) => value,
): unknown {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
