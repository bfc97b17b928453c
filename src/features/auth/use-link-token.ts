import { useEffect, useState } from 'react';

/**
 * Returns the one-time token of a mailed link from the fragment, which no server and no log sees. It is removed from
 * the address, so that neither the history nor a copied address holds it. A link that is pasted into the open page
 * only changes the fragment.
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
