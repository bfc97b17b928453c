import { Suspense, useEffect } from 'react';
import { ErrorBoundary } from '../components/page/error-boundary.tsx';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { createStore, useStore } from '../lib/store.ts';

const palette = lazyComponent<{ onClose: () => void }>(
  async () => (await import('./command-palette.tsx')).CommandPalette,
);

const isOpen = createStore(false);

/** Opens the command palette by other means than its keys. */
export function openCommandPalette(): void {
  isOpen.set(true);
}

/** Opens and closes the command palette with Ctrl K, or ⌘ K, on every screen of a signed-in person. */
export function CommandPaletteKey() {
  const isShown = useStore(isOpen);
  useEffect(() => {
    document.addEventListener('keydown', toggle);
    return () => document.removeEventListener('keydown', toggle);
  }, []);
  if (!isShown) return null;
  return (
    <ErrorBoundary onFailed={onLoadFailed}>
      <Suspense fallback={null}>
        <palette.Component onClose={close} />
      </Suspense>
    </ErrorBoundary>
  );
}

function close(): void {
  isOpen.set(false);
}

/** Closes it when its file could not be loaded: the keys try once more. */
function onLoadFailed(): void {
  palette.fetchAgain();
  close();
}

function toggle(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey) return;
  // Otherwise the keys would go to the browser's own address field.
  event.preventDefault();
  isOpen.set(!isOpen.get());
}
