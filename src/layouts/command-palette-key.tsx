import { Suspense, useEffect } from 'react';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { createStore, useStore } from '../lib/store.ts';
import { ErrorBoundary } from './error-boundary.tsx';

const palette = lazyComponent<{ onClose: () => void }>(
  async () => (await import('./command-palette.tsx')).CommandPalette,
);

const isOpen = createStore(false);

/** Opens the command palette from elsewhere than its keys. */
export function openCommandPalette(): void {
  isOpen.set(true);
}

/** Ctrl K, or ⌘ K, opens the command palette on every screen of a signed-in person, and closes it again. */
export function CommandPaletteKey() {
  const isShown = useStore(isOpen);
  useEffect(() => {
    document.addEventListener('keydown', toggle);
    return () => document.removeEventListener('keydown', toggle);
  }, []);
  if (!isShown) return null;
  return (
    <ErrorBoundary onFailed={giveUp}>
      <Suspense fallback={null}>
        <palette.Component onClose={close} />
      </Suspense>
    </ErrorBoundary>
  );
}

function close(): void {
  isOpen.set(false);
}

/** Its file did not come: the keys try once more. */
function giveUp(): void {
  palette.fetchAgain();
  close();
}

function toggle(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey) return;
  // In the browser's own address field otherwise.
  event.preventDefault();
  isOpen.set(!isOpen.get());
}
