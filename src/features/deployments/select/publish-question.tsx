import { type ReactNode, useState } from 'react';
import type { ButtonProps } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';

export type PublishQuestion = { title: string; description: string; variant?: ButtonProps['variant'] };

export type Asking = {
  /** Asks before it continues; continues at once when there is nothing to ask. */
  ask: (goOn: () => void) => void;
  question: ReactNode;
};

/** Asks the person once more before something is published. */
export function usePublishQuestion(asked: PublishQuestion | null): Asking {
  const [goOn, setGoOn] = useState<(() => void) | null>(null);
  return {
    ask: (next) => (asked === null ? next() : setGoOn(() => next)),
    question: goOn !== null && asked !== null && (
      <ConfirmDialog
        isOpen
        onOpenChange={(isOpen) => {
          if (!isOpen) setGoOn(null);
        }}
        {...asked}
        confirmLabel="Publish anyway"
        onConfirm={() => {
          setGoOn(null);
          goOn();
        }}
      />
    ),
  };
}
