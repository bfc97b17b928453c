import { Menu } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../components/icon-button.tsx';
import { notifyUnavailable } from '../components/overlays/notify-unavailable.ts';
import type { SheetProps } from '../components/overlays/sheet.tsx';
import { useAddress } from '../lib/browser/location.ts';

export type MobileMenuProps = {
  /** Styles the button that opens the menu. */
  className?: string | undefined;
  /** Draws the links; each calls `close` when it is tapped, including that of the open page. */
  renderLinks: (close: () => void) => ReactNode;
  /** Loads what slides in: the library of dialogs, which no page shows at first. */
  load?: () => Promise<ComponentType<SheetProps>>;
};

/** The menu of a small screen behind its button; it closes on a tap and on every change of route. */
export function MobileMenu({ className, renderLinks, load = loadSheet }: MobileMenuProps) {
  const { pathname } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const [Sheet, setSheet] = useState<ComponentType<SheetProps> | null>(null);
  const openedOn = useRef(pathname);
  const opener = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (openedOn.current === pathname) return;
    openedOn.current = pathname;
    setOpen(false);
  }, [pathname]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the page rests
  useEffect(() => {
    // Safari has no such callback yet.
    if (isVisible(opener.current)) (window.requestIdleCallback ?? setTimeout)(fetchAhead);
  }, []);

  async function fetchSheet(): Promise<void> {
    const Loaded = await load();
    setSheet(() => Loaded);
  }
  /** The press tells when it fails, and tries again. */
  const fetchAhead = (): void => void fetchSheet().catch(() => {});
  /** A press that waits for its file is taken back by the next one. */
  function press(): void {
    setOpen(!isOpen);
    if (isOpen) return;
    fetchSheet().catch(() => {
      setOpen(false);
      notifyUnavailable();
    });
  }

  return (
    <>
      <IconButton
        ref={opener}
        label="Open menu"
        size="md"
        className={className}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-state={isOpen ? 'open' : 'closed'}
        onPointerEnter={fetchAhead}
        onFocus={fetchAhead}
        onClick={press}
      >
        <Menu className="size-5" />
      </IconButton>
      {Sheet !== null && (
        <Sheet isOpen={isOpen} onOpenChange={setOpen} title="Fairlead" opener={opener}>
          {renderLinks(() => setOpen(false))}
        </Sheet>
      )}
    </>
  );
}

async function loadSheet(): Promise<ComponentType<SheetProps>> {
  return (await import('../components/overlays/sheet.tsx')).Sheet;
}

/** On a wide screen the button is not shown. */
function isVisible(element: Element | null): boolean {
  return element !== null && element.getClientRects().length > 0;
}
