import { useEffect } from 'react';
import { createStore, useStore } from '../store.ts';

/**
 * The titles of the screen and its parts, when they are better than the route table's: the name of a deployment, 'Release
 * 8'. The last one is shown. Each takes away its own alone, since React cleans up a screen before its parts.
 */
const ownTitles = createStore<readonly (readonly [string | undefined])[]>([]);

/**
 * Sets `document.title` and the title in the mobile bar while the caller is mounted; undefined while the title loads.
 */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    const own = [title] as const;
    ownTitles.set([...ownTitles.get(), own]);
    return () => ownTitles.set(ownTitles.get().filter((one) => one !== own));
  }, [title]);
}

/** Returns the screen's own title, else that of its route. */
export function useTitle(routeTitle: string): string {
  return useStore(ownTitles).at(-1)?.[0] ?? routeTitle;
}
