import { useEffect, useRef } from 'react';

type CloseWatcher = { onclose: (() => void) | null; destroy(): void };

declare global {
  interface Window {
    /** Absent in some browsers (HTML, "Close requests and close watchers"). */
    CloseWatcher?: new () => CloseWatcher;
  }
}

/**
 * Closes what is open on top by the Back of a phone, in browsers that tell of it. What stays open, such as a secret
 * that is shown once, takes the next Back as well.
 */
export function useBackCloses(isOpen: boolean, close: (() => void) | undefined): void {
  const latest = useRef(close);
  useEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    if (!isOpen || window.CloseWatcher === undefined) return;
    const { CloseWatcher } = window;
    const watch = (): CloseWatcher => {
      const watcher = new CloseWatcher();
      watcher.onclose = () => {
        current = watch();
        latest.current?.();
      };
      return watcher;
    };
    let current = watch();
    return () => current.destroy();
  }, [isOpen]);
}
