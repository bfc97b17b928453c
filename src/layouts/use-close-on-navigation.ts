import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** Closes a menu on every change of route, whoever caused it (specification, section 2). */
export function useCloseOnNavigation(close: () => void): void {
  const { pathname } = useLocation();
  const openedOn = useRef(pathname);
  const latestClose = useRef(close);
  latestClose.current = close;
  useEffect(() => {
    if (openedOn.current === pathname) return;
    openedOn.current = pathname;
    latestClose.current();
  }, [pathname]);
}
