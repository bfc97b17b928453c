import { type ReactNode, useState } from 'react';
import type { ButtonProps } from '../../../components/button.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import type { StartPageOfferProps } from './start-page-offer.tsx';

const PublishQuestionDialog = lazyDialog(
  async () => (await import('./publish-question-dialog.tsx')).PublishQuestionDialog,
);

export type PublishQuestion = {
  title: string;
  description: string;
  variant?: ButtonProps['variant'];
  /** The remedy, where a page of the files may become the start page. */
  offer?: StartPageOfferProps | null;
};

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
      <PublishQuestionDialog
        {...asked}
        onClose={() => setGoOn(null)}
        onConfirm={() => {
          setGoOn(null);
          goOn();
        }}
      />
    ),
  };
}
