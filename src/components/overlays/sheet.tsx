import { X } from 'lucide-react';
import { Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { IconButton } from '../icon-button.tsx';
import { useBackCloses } from './use-back-closes.ts';

export type SheetProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  /** The button that opens it; it gets the focus back, unless something else took it. */
  opener: RefObject<HTMLElement | null>;
  children: ReactNode;
};

/** Slides in from the left, over a toast as well, and traps the focus: the menu of a small screen. */
export function Sheet({ isOpen, onOpenChange, title, opener, children }: SheetProps) {
  useBackCloses(isOpen, () => onOpenChange(false));
  return (
    <RadixDialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 animate-appear bg-scrim data-[state=closed]:animate-leave" />
        <RadixDialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (document.activeElement === document.body) opener.current?.focus();
          }}
          className="fixed inset-y-0 left-0 z-50 flex w-[min(20rem,86vw)] flex-col overflow-y-auto bg-surface-sunken shadow-float outline-none data-[state=open]:animate-slide-in data-[state=closed]:animate-leave"
        >
          <div className="flex h-bar shrink-0 items-center justify-between pr-2 pl-5">
            <RadixDialog.Title className="text-lg font-semibold">{title}</RadixDialog.Title>
            <RadixDialog.Close asChild>
              <IconButton label="Close menu">
                <X />
              </IconButton>
            </RadixDialog.Close>
          </div>
          {children}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
