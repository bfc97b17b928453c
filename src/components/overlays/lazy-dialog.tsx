import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { notifyUnavailable } from './notify-unavailable.ts';

/**
 * Creates a dialog with a file of its own, loaded when it is first opened. If the file cannot be loaded the dialog
 * says so and closes, and the next opening tries again: React itself would remember the failure for good.
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
    // This happens once it is closed: opening it before that would open nothing.
    useEffect(() => notifyUnavailable, []);
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
