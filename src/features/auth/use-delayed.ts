import { useEffect, useRef } from 'react';
import { type Navigate, useNavigate } from '../../lib/browser/location.ts';

/** Runs work a moment later, unless the screen was left by then: nobody is pulled back. */
export function useDelayed(): (delayMs: number, work: (navigate: Navigate) => void) => void {
  const navigate = useNavigate();
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());

  useEffect(() => {
    const pending = timers.current;
    return () => {
      for (const timer of pending) clearTimeout(timer);
      pending.clear();
    };
  }, []);

  return (delayMs, work) => {
    timers.current.add(setTimeout(() => work(navigate), delayMs));
  };
}
