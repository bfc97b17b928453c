import { Menu } from 'lucide-react';
import { type ComponentType, lazy, type RefObject, Suspense, useRef, useState } from 'react';
import { errorToast } from '../api/errors.ts';
import { IconButton } from '../components/icon-button.tsx';
import { showToast } from '../components/toast-store.ts';
import { ErrorBoundary } from './error-boundary.tsx';

export type MenuProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  opener: RefObject<HTMLElement | null>;
};

/**
 * The button of a menu that has a file of its own, so that a first page goes without dialogs: fetched with the first tap
 * and kept, since closing it again can then be animated and gives the focus back. Where it did not come, a toast says
 * so, and the next tap asks for it again.
 */
export function menuButtonOf(load: () => Promise<{ default: ComponentType<MenuProps> }>) {
  let LazyMenu = lazy(load);
  return function MenuButton({ className }: { className?: string }) {
    /** Null before the first tap. */
    const [isOpen, setOpen] = useState<boolean | null>(null);
    const button = useRef<HTMLButtonElement>(null);
    return (
      <>
        <IconButton
          ref={button}
          label="Open menu"
          size="md"
          aria-haspopup="dialog"
          aria-expanded={isOpen === true}
          className={className}
          onClick={() => setOpen(true)}
        >
          <Menu className="size-5" />
        </IconButton>
        {isOpen !== null && (
          <ErrorBoundary
            onFailed={(error) => {
              LazyMenu = lazy(load);
              setOpen(null);
              showToast(errorToast('Could not open', error));
            }}
          >
            <Suspense fallback={null}>
              <LazyMenu isOpen={isOpen} onOpenChange={setOpen} opener={button} />
            </Suspense>
          </ErrorBoundary>
        )}
      </>
    );
  };
}
