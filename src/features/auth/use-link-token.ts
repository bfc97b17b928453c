import { useEffect, useState } from 'react';

/**
 * The one-time token of a mailed link, which stands in the fragment: no server and no log sees it.
 * It is taken out of the address, so that neither the history nor a copied address holds it. A link that is pasted into
 * the page that is open already changes the fragment alone.
 */
export function useLinkToken(): string | null {
  const [token, setToken] = useState(tokenInAddress);

  useEffect(() => {
    function take() {
      const next = tokenInAddress();
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

function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token');
}
