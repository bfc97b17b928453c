import { type RefObject, useLayoutEffect, useState } from 'react';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { askBeforeLeaving } from '../../../lib/browser/location.ts';

export type LeaveDialogProps = {
  hasChanges: boolean;
  /** True once they have become a release. */
  isPublished: RefObject<boolean>;
  /** True when the browser could not store them. */
  isUnstored: boolean;
};

/**
 * Asks before a link of the app, or a step in its history, leaves changes behind. When the app itself is left, the
 * browser asks.
 */
export function LeaveDialog({ hasChanges, isPublished, isUnstored }: LeaveDialogProps) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  // The question ends before another screen replaces this one, such as the sign-in: that is not asked about.
  useLayoutEffect(() => {
    if (!hasChanges) return;
    const ask = (go: () => void) => (isPublished.current ? go() : setLeave(() => go));
    const ends = [askBeforeLeaving(ask), askBeforeGoingBack(ask)];
    return () => {
      for (const end of ends) end();
    };
  }, [hasChanges, isPublished]);
  return (
    <ConfirmDialog
      isOpen={leave !== null}
      onOpenChange={() => setLeave(null)}
      title="Leave without publishing?"
      description={
        isUnstored
          ? 'Your changes are not published, and this browser cannot store them: they are lost when you leave.'
          : 'Your changes are not published. This browser keeps them until you publish or discard them.'
      }
      confirmLabel="Leave"
      variant={isUnstored ? 'danger' : 'primary'}
      onConfirm={() => leave?.()}
    />
  );
}

/**
 * Asks before a step in the history, which is only reported once it is done. It is undone before any other listener
 * sees it, by one more entry for the same screen; after the answer, the step from that entry leads where the first one
 * did.
 */
function askBeforeGoingBack(ask: (leave: () => void) => void): () => void {
  const { href, pathname } = location;
  function hold(event: PopStateEvent): void {
    if (location.pathname === pathname) return;
    event.stopImmediatePropagation();
    history.pushState({}, '', href);
    ask(() => {
      end();
      history.back();
    });
  }
  const end = () => removeEventListener('popstate', hold, { capture: true });
  addEventListener('popstate', hold, { capture: true });
  return end;
}
