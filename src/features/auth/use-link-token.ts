import { useEffect, useState } from 'react';
import { tryStorage } from '../../lib/storage/storage.ts';

/** The link whose page is open in this tab. */
const OPEN_LINK_KEY = 'fairlead.openLink';

/**
 * Returns the one-time token of a mailed link from the fragment, which no server and no log sees. It is removed from
 * the address, so that neither the history nor a copied address holds it; a reload finds it by `useKeptLink`. A link
 * that is pasted into the open page only changes the fragment.
 */
export function useLinkToken(): string | null {
  const [token, setToken] = useState(() => tokenIn(location.hash) ?? storedToken());

  useEffect(() => {
    function take() {
      const next = tokenIn(location.hash);
      if (next === null) return;
      setToken(next);
      history.replaceState(history.state, '', location.pathname + location.search);
    }
    take();
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);

  return token;
}

/** Keeps a link that can still be used for a reload of its page, in this tab, until the page is left. */
export function useKeptLink(token: string | null, isUsable: boolean): void {
  useEffect(() => {
    if (token === null || !isUsable) return;
    tryStorage(() => sessionStorage.setItem(OPEN_LINK_KEY, `${location.pathname}#token=${token}`));
    return () => void tryStorage(() => sessionStorage.removeItem(OPEN_LINK_KEY));
  }, [token, isUsable]);
}

/** Returns the link of this page after a reload; after any other load it may be left from another person. */
function storedToken(): string | null {
  const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (load?.type !== 'reload') tryStorage(() => sessionStorage.removeItem(OPEN_LINK_KEY));
  const [path, hash] = tryStorage(() => sessionStorage.getItem(OPEN_LINK_KEY))?.split('#') ?? [];
  return path === location.pathname ? tokenIn(`#${hash}`) : null;
}

function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('token');
}
