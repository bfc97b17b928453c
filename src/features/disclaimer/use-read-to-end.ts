import { useEffect, useState } from 'react';
import { SCROLL_TO_BOTTOM_THRESHOLD_PX } from '../../../routers/schemas/limits.ts';

/** Returns whether the page was once scrolled to within 50 px of its bottom; true at once when nothing scrolls. */
export function useReadToEnd(): boolean {
  const [hasRead, setRead] = useState(false);

  useEffect(() => {
    if (hasRead) return;
    function look() {
      const page = document.documentElement;
      if (page.scrollHeight - page.scrollTop - page.clientHeight <= SCROLL_TO_BOTTOM_THRESHOLD_PX) setRead(true);
    }
    look();
    // The height changes when fonts arrive, and with the window.
    const heights = new ResizeObserver(look);
    heights.observe(document.body);
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      heights.disconnect();
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [hasRead]);

  return hasRead;
}
