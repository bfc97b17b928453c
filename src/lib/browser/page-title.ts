import { useEffect } from 'react';
import { createStore, useStore } from '../store.ts';

/** The screen's own title, when it is better than the route table's: the name of a deployment, 'Release 8'. */
const ownTitle = createStore<string | undefined>(undefined);

/**
 * Sets `document.title` and the title in the mobile bar while the caller is mounted; undefined while the title loads.
 */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    // What is shown for a while within a screen gives the title back to it.
    const before = ownTitle.get();
    ownTitle.set(title);
    return () => ownTitle.set(before);
  }, [title]);
}

/** Returns the screen's own title, else that of its route. */
export function useTitle(routeTitle: string): string {
  return useStore(ownTitle) ?? routeTitle;
}
