import { useRef } from 'react';

/**
 * Gives the focus back to what opened a dialog that has no trigger of its own; for an entry of a menu, which is gone by
 * then, to the button of that menu. The library itself knows its own triggers alone.
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
