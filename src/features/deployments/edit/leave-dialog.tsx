import { type RefObject, useLayoutEffect, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { askBeforeLeaving } from '../../../lib/location.ts';

export type LeaveDialogProps = {
  hasChanges: boolean;
  /** They have become a release. */
  isPublished: RefObject<boolean>;
  /** The browser could not store them. */
  isUnstored: boolean;
};

/** Asks before a link of the app leads away from changes. Leaving the app itself is asked by the browser. */
export function LeaveDialog({ hasChanges, isPublished, isUnstored }: LeaveDialogProps) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  // Ends before what takes the place of this screen leads on, as to the sign-in: that is not asked about.
  useLayoutEffect(() => {
    if (!hasChanges) return;
    return askBeforeLeaving((go) => (isPublished.current ? go() : setLeave(() => go)));
  }, [hasChanges, isPublished]);
  return (
    <ConfirmDialog
      isOpen={leave !== null}
      onOpenChange={() => setLeave(null)}
      title="Leave without publishing?"
      description={
        isUnstored
          ? 'What you changed is not published, and this browser cannot store it: it is lost when you leave.'
          : 'What you changed is not published. It stays in this browser for when you come back.'
      }
      confirmLabel="Leave"
      isDestructive={isUnstored}
      onConfirm={() => leave?.()}
    />
  );
}
