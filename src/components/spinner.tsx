import { LoaderCircle } from 'lucide-react';
import { useLayoutEffect, useState } from 'react';
import { classNames } from './class-names.ts';

/** Nothing is shown for this long, so that a quick answer does not flash; as in `--animate-after-wait`. */
const WAIT_MS = 150;

/**
 * The placeholders on the page, and since when there is one: one for the route and one for the list often follow one
 * another.
 */
const onPage = { count: 0, since: 0 };

/** Returns whether it replaces a visible one: waiting again would leave a gap between the two. */
export function useIsSuccessor(): boolean {
  const [isSuccessor] = useState(() => onPage.count > 0 && performance.now() - onPage.since > WAIT_MS);
  useLayoutEffect(() => {
    if (onPage.count === 0 && !isSuccessor) onPage.since = performance.now();
    onPage.count += 1;
    return () => {
      onPage.count -= 1;
    };
  }, [isSuccessor]);
  return isSuccessor;
}

/** A spinner with its label. Both wait as a skeleton does, so that a short wait does not flicker. */
export function Spinner({ label }: { label: string }) {
  const isSuccessor = useIsSuccessor();
  return (
    <div
      role="status"
      className={classNames(
        'flex items-center justify-center gap-2.5 py-16 text-ink-muted',
        !isSuccessor && 'animate-after-wait',
      )}
    >
      <LoaderCircle className="animate-turn text-accent" />
      {label}
    </div>
  );
}
