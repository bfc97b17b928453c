import { useEffect, useSyncExternalStore } from 'react';

/** A part of the page that comes after the first paint, and stays once it came. */
export type Later<Part> = {
  /** The part, where it is here already. */
  read(): Part | null;
  /** Brings it; a part that did not come is asked for again the next time. */
  fetch(): Promise<Part>;
  subscribe(listener: () => void): () => void;
};

export function later<Part>(load: () => Promise<Part>): Later<Part> {
  let part: Part | null = null;
  let coming: Promise<Part> | null = null;
  const listeners = new Set<() => void>();

  async function bring(): Promise<Part> {
    try {
      part = await load();
      for (const listener of listeners) listener();
      return part;
    } catch (cause) {
      coming = null;
      throw cause;
    }
  }

  return {
    read: () => part,
    fetch: () => {
      coming ??= bring();
      return coming;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The part, or null until it is here; it is fetched once the page has nothing better to do. */
export function useLater<Part>(part: Later<Part>): Part | null {
  useWhenIdle(part.fetch);
  return useSyncExternalStore(part.subscribe, part.read);
}

/** Fetches ahead what will be wanted soon. That it failed shows when it is wanted. */
export function useWhenIdle(fetch: () => Promise<unknown>): void {
  useEffect(() => whenIdle(() => void fetch().catch(() => {})), [fetch]);
}

/** Safari has no idle callback; there a moment after the paint has to do. */
const IDLE_AT_THE_LATEST_MS = 1_000;

function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 100);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: IDLE_AT_THE_LATEST_MS });
  return () => cancelIdleCallback(handle);
}
