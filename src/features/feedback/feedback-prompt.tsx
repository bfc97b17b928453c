import { Star, X } from 'lucide-react';
import { type ComponentType, useRef, useState } from 'react';
import { errorToast } from '../../api/errors.ts';
import { useUser } from '../../api/user.ts';
import { classNames } from '../../components/class-names.ts';
import { showToast } from '../../components/overlays/toast-store.ts';
import { isFeedbackDismissed, rememberFeedbackAsked, rememberFeedbackDismissed } from './feedback-asked.ts';
import type { FeedbackDialogProps } from './feedback-dialog.tsx';
import { useFeedbackPrompt } from './use-feedback-prompt.ts';
import { useMakesWay } from './use-makes-way.ts';

/** The floating button at the bottom right, and the dialog that it opens; one for the whole app. */
export function FeedbackPrompt() {
  const [isHidden, setHidden] = useState(isFeedbackDismissed);
  const [isOpen, setOpen] = useState(false);
  // It contains the client of the procedures, so it is loaded when it is first wanted; it stays, so that its closing is
  // visible.
  const [FeedbackDialog, setFeedbackDialog] = useState<ComponentType<FeedbackDialogProps> | null>(null);
  const { user } = useUser();

  async function open(onFailed: (error: unknown) => void) {
    // A person who has opened it by hand need not be asked again.
    rememberFeedbackAsked();
    setOpen(true);
    try {
      const dialog = await import('./feedback-dialog.tsx');
      setFeedbackDialog(() => dialog.FeedbackDialog);
    } catch (error) {
      setOpen(false);
      onFailed(error);
    }
  }

  function hide() {
    rememberFeedbackDismissed();
    setHidden(true);
  }

  // Nobody asked for it, so a failed load is not reported.
  useFeedbackPrompt(() => void open(() => {}), user !== null);
  return (
    <>
      {!isHidden && (
        <FeedbackButton
          onOpen={() => void open((error) => showToast(errorToast('Could not open', error)))}
          onHide={hide}
        />
      )}
      {FeedbackDialog !== null && (
        <FeedbackDialog
          // One account's text is not shown to the next.
          key={user?.id}
          isOpen={isOpen}
          onOpenChange={setOpen}
          onSent={() => {
            setOpen(false);
            hide();
          }}
        />
      )}
    </>
  );
}

function FeedbackButton({ onOpen, onHide }: { onOpen: () => void; onHide: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const { readsOn, covers } = useMakesWay(place);
  return (
    <div
      ref={place}
      className={classNames(
        'fixed right-[max(1rem,env(safe-area-inset-right))] bottom-[max(1rem,env(safe-area-inset-bottom))] z-20 flex print:hidden items-center rounded-full border border-line bg-surface-raised shadow-float transition-[opacity,transform]',
        // Without free space beside the page it would cover the text; the keyboard still finds it.
        readsOn && 'max-lg:not-focus-within:translate-y-20 max-lg:not-focus-within:opacity-0',
        covers && 'not-focus-within:translate-y-20 not-focus-within:opacity-0',
      )}
    >
      <button
        type="button"
        onClick={onOpen}
        className="flex h-9 items-center justify-center gap-2 rounded-full pr-2 pl-3.5 text-sm font-medium hover:text-accent touch:h-11 touch:pr-1"
      >
        <Star className="text-accent" />
        <span>Rate Your Experience</span>
      </button>
      <button
        type="button"
        onClick={onHide}
        className="mr-1 flex size-7 items-center justify-center rounded-full text-ink-faint hover:bg-surface-hover hover:text-ink touch:mr-0 touch:size-11"
      >
        <X className="size-3.5" />
        <span className="sr-only">Dismiss</span>
      </button>
    </div>
  );
}
