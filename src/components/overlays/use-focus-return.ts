import { useRef } from 'react';

/**
 * Returns the focus to the element that opened a dialog without a trigger; for an entry of a menu, which is gone by
 * then, to the button of that menu. The library only knows its own triggers.
 */
export function useFocusReturn(): { onOpenAutoFocus: () => void; onCloseAutoFocus: (event: Event) => void } {
  const opener = useRef<HTMLElement | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = openerOf(document.activeElement);
    },
    onCloseAutoFocus: (event) => {
      if (opener.current?.isConnected !== true) return;
      event.preventDefault();
      opener.current.focus();
    },
  };
}

function openerOf(active: Element | null): HTMLElement | null {
  const menuButton = active?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  if (menuButton) return document.getElementById(menuButton);
  return active instanceof HTMLElement ? active : null;
}
