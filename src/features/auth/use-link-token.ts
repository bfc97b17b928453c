import { useEffect, useState } from 'react';

/**
 * The one-time token of a mailed link, which stands in the fragment: no server and no log sees it (security facts, 1.2).
 * It is taken out of the address, so that neither the history nor a copied address holds it.
 */
export function useLinkToken(): string | null {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  useEffect(() => {
    if (token !== null) history.replaceState(history.state, '', location.pathname + location.search);
  }, [token]);
  return token;
}
