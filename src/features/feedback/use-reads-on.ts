import { useEffect, useState } from 'react';

/** A finger that rests moves the page by less. */
const STEP_PX = 8;

/** Whether the page is being scrolled down, until it is scrolled up again or its end is seen. */
export function useReadsOn(): boolean {
  const [readsOn, setReadsOn] = useState(false);

  useEffect(() => {
    let last = window.scrollY;
    function look() {
      const { scrollHeight } = document.documentElement;
      const isAtEnd = window.scrollY + window.innerHeight >= scrollHeight - STEP_PX;
      if (isAtEnd) setReadsOn(false);
      if (Math.abs(window.scrollY - last) < STEP_PX) return;
      setReadsOn(window.scrollY > last && !isAtEnd);
      last = window.scrollY;
    }
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);

  return readsOn;
}
