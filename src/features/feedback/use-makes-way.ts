import { type RefObject, useEffect, useState } from 'react';
import { useAddress } from '../../lib/browser/location.ts';
import { isCovering } from '../../lib/covered.ts';

/** A resting finger moves the page by less than this. */
const STEP_PX = 8;

/**
 * Returns why the floating button makes way. `readsOn`: the page is scrolled down, until it is scrolled up again or
 * rests at its end. `covers`: it would cover a control or text.
 */
export function useMakesWay(place: RefObject<HTMLElement | null>): { readsOn: boolean; covers: boolean } {
  const { pathname } = useAddress();
  const [readsOn, setReadsOn] = useState(false);
  const [covers, setCovers] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has other things below the button
  useEffect(() => {
    let last = window.scrollY;
    let frame = 0;
    function look() {
      setCovers(place.current !== null && isCovering(placeOf(place.current)));
    }
    function lookSoon() {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    }
    function followScroll() {
      lookSoon();
      const { scrollHeight } = document.documentElement;
      const isAtEnd = window.scrollY + window.innerHeight >= scrollHeight - STEP_PX;
      if (isAtEnd) setReadsOn(false);
      if (Math.abs(window.scrollY - last) < STEP_PX) return;
      setReadsOn(window.scrollY > last && !isAtEnd);
      last = window.scrollY;
    }
    lookSoon();
    // Later content changes the height of the page.
    const heights = new ResizeObserver(lookSoon);
    heights.observe(document.body);
    window.addEventListener('scroll', followScroll, { passive: true });
    window.addEventListener('resize', lookSoon);
    return () => {
      cancelAnimationFrame(frame);
      heights.disconnect();
      window.removeEventListener('scroll', followScroll);
      window.removeEventListener('resize', lookSoon);
    };
  }, [pathname]);

  return { readsOn, covers };
}

/** Returns the place of the button when it is shown: while it is away a transform has moved it. */
function placeOf(element: HTMLElement): DOMRect {
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = element;
  return new DOMRect(offsetLeft, offsetTop, offsetWidth, offsetHeight);
}
