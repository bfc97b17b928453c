import { Menu } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../components/icon-button.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { useAddress } from '../lib/browser/location.ts';

export type MobileMenuProps = {
  /** Styles the button that opens the menu. */
  className?: string | undefined;
  /** Draws the links; each calls `close` when it is tapped, including that of the open page. */
  renderLinks: (close: () => void) => ReactNode;
};

/** The menu of a small screen behind its button; it closes on a tap and on every change of route. */
export function MobileMenu({ className, renderLinks }: MobileMenuProps) {
  const { pathname } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const openedOn = useRef(pathname);

  useEffect(() => {
    if (openedOn.current === pathname) return;
    openedOn.current = pathname;
    setOpen(false);
  }, [pathname]);

  return (
    <Sheet
      isOpen={isOpen}
      onOpenChange={setOpen}
      title="Fairlead"
      trigger={
        <IconButton label="Open menu" size="md" className={className}>
          <Menu className="size-5" />
        </IconButton>
      }
    >
      {renderLinks(() => setOpen(false))}
    </Sheet>
  );
}
