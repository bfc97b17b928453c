import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { showToast } from './toast-store.ts';

function tellUnavailable(): void {
  showToast({
    title: 'This could not be opened',
    description: navigator.onLine
      ? 'There may be a new version: reload the page.'
      : 'You are offline. Try again later.',
    variant: 'destructive',
  });
}

/**
 * A dialog with a file of its own, fetched when it is first opened. Where the file does not come the dialog says so and
 * closes, and the next opening fetches it anew: React itself would remember the failure for good.
 */
export function lazyDialog<Props extends { onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const fetched = () =>
    lazy(async () => ({
      default: await load().catch(() => Unavailable),
    }));
  let Current = fetched();

  function Unavailable({ onClose }: Props) {
    useEffect(() => {
      Current = fetched();
      onClose();
    }, [onClose]);
    // Once it is closed: who opened it again before that would open nothing.
    useEffect(() => tellUnavailable, []);
    return null;
  }

  return function LazyDialog(props: Props) {
    return (
      <Suspense fallback={null}>
        <Current {...props} />
      </Suspense>
    );
  };
}
