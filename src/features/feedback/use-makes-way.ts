import { type RefObject, useEffect, useState } from 'react';
import { isPlaceFree } from './place.ts';

/** A finger that rests moves the page by less. */
const STEP_PX = 8;
/** So long after the last movement the page is at rest. */
const REST_MS = 150;

/**
 * Whether what floats in `place` is to make way: while the page moves, and at rest wherever a text or a control lies
 * there. At the end of a page nothing does, since every page ends with room for it.
 */
export function useMakesWay(place: RefObject<HTMLElement | null>, page: string): boolean {
  const [makesWay, setMakesWay] = useState(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has something else there
  useEffect(() => {
    let last = window.scrollY;
    let timer: ReturnType<typeof setTimeout>;
    const look = () => setMakesWay(!(isAtEnd() || (place.current !== null && isPlaceFree(place.current))));
    const lookAtRest = () => {
      clearTimeout(timer);
      timer = setTimeout(look, REST_MS);
    };
    const follow = () => {
      if (isAtEnd()) setMakesWay(false);
      else if (Math.abs(window.scrollY - last) >= STEP_PX) setMakesWay(true);
      else return;
      last = window.scrollY;
      lookAtRest();
    };
    // What is fetched later, or unfolded, changes what lies there.
    const sizes = new ResizeObserver(lookAtRest);
    sizes.observe(document.body);
    window.addEventListener('scroll', follow, { passive: true });
    window.addEventListener('resize', lookAtRest);
    lookAtRest();
    return () => {
      clearTimeout(timer);
      sizes.disconnect();
      window.removeEventListener('scroll', follow);
      window.removeEventListener('resize', lookAtRest);
    };
  }, [place, page]);

  return makesWay;
}

function isAtEnd(): boolean {
  return window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - STEP_PX;
}
