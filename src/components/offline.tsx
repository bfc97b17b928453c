import { useIsOnline } from '../lib/browser/use-is-online.ts';
import { classNames } from './class-names.ts';

/** Says that there is no network, and that nothing has to be pressed when it is back. */
export function Offline({ className }: { className: string }) {
  if (useIsOnline()) return null;
  return (
    <p role="status" className={classNames('sticky z-20 rounded-card bg-warn-soft px-4 py-3 text-warn', className)}>
      You are offline. What is missing loads by itself once you are back online.
    </p>
  );
}
