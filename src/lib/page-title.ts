import { useEffect, useSyncExternalStore } from 'react';

/** What a screen calls itself once it knows better than the route table: the name of a deployment, 'Release 8'. */
let ownTitle: string | undefined;
const listeners = new Set<() => void>();

/** Names the page while the calling screen is shown: in `document.title` and in the mobile bar. `undefined`: not known yet. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    setOwnTitle(title);
    return () => setOwnTitle(undefined);
  }, [title]);
}

/** The screen's own title, else that of its route. */
export function useTitle(routeTitle: string): string {
  return useSyncExternalStore(subscribe, () => ownTitle) ?? routeTitle;
}

function setOwnTitle(title: string | undefined): void {
  ownTitle = title;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
