import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { IconButton } from '../icon-button.tsx';
import { dismissLeftToasts } from './toast-store.ts';
import { useBackCloses } from './use-back-closes.ts';
import { useFocusReturn } from './use-focus-return.ts';

export type DialogProps = {
  isOpen: boolean;
  /** Absent where only a button of the footer closes it. */
  onOpenChange?: (isOpen: boolean) => void;
  title: string;
  description?: ReactNode;
  /** The element that opens it; absent when something else does. */
  trigger?: ReactNode;
  /** The buttons; the last one performs the act. */
  footer?: ReactNode;
  children?: ReactNode;
};

/**
 * A question in the middle of the screen; the whole screen under 640 px. Escape and the cross close it, and the focus
 * returns.
 */
export function Dialog({ isOpen, onOpenChange, title, description, trigger, footer, children }: DialogProps) {
  const focusReturn = useFocusReturn();
  useBackCloses(isOpen, () => onOpenChange?.(false));
  return (
    <RadixDialog.Root open={isOpen} {...(onOpenChange && { onOpenChange })}>
      {trigger !== undefined && <RadixDialog.Trigger asChild>{trigger}</RadixDialog.Trigger>}
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim data-[state=closed]:animate-leave" />
        <RadixDialog.Content
          {...focusReturn}
          onOpenAutoFocus={() => {
            focusReturn.onOpenAutoFocus();
            dismissLeftToasts();
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
          className="fixed inset-0 z-40 m-auto flex w-full flex-col bg-surface-raised shadow-float outline-none data-[state=open]:animate-rise data-[state=closed]:animate-leave sm:h-fit sm:max-h-[min(90dvh,720px)] sm:max-w-dialog sm:rounded-card"
        >
          <div className="p-5 pr-16 pb-0">
            <RadixDialog.Title className="text-lg font-semibold wrap-anywhere">{title}</RadixDialog.Title>
            {description !== undefined && (
              <RadixDialog.Description className="mt-1 text-ink-muted">{description}</RadixDialog.Description>
            )}
          </div>
          <div className="min-h-0 overflow-y-auto p-5">{children}</div>
          {footer !== undefined && (
            <div className="mt-auto flex flex-wrap justify-end gap-2 border-t border-line px-5 py-4 max-sm:flex-col-reverse max-sm:*:w-full">
              {footer}
            </div>
          )}
          {/* The last, so that the focus begins in the first field. */}
          {onOpenChange && (
            <RadixDialog.Close asChild>
              <IconButton label="Close" className="absolute top-4 right-3.5 touch:top-2.5 touch:right-1.5">
                <X />
              </IconButton>
            </RadixDialog.Close>
          )}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
