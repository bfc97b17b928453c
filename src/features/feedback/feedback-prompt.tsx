import { Star, X } from 'lucide-react';
import { type ComponentType, useEffect, useState } from 'react';
import { errorToast } from '../../api/errors.ts';
import { useUser } from '../../api/user.ts';
import { classNames } from '../../components/class-names.ts';
import { showToast } from '../../components/toast-store.ts';
import { useAddress } from '../../lib/location.ts';
import { isAuthScreen } from '../../lib/paths.ts';
import type { FeedbackDialogProps } from './feedback-dialog.tsx';
import { isFeedbackDismissed, rememberFeedbackAsked, rememberFeedbackDismissed } from './feedback-draft.ts';
import { useFeedbackPrompt } from './use-feedback-prompt.ts';

/** The floating button at the bottom right, and the dialog that it opens; one for the whole app. */
export function FeedbackPrompt() {
  const { pathname } = useAddress();
  const [isHidden, setHidden] = useState(isFeedbackDismissed);
  const [isOpen, setOpen] = useState(false);
  // It brings the client of the procedures, so that it is fetched when it is first wanted; it stays, so that closing it
  // can be seen.
  const [FeedbackDialog, setFeedbackDialog] = useState<ComponentType<FeedbackDialogProps> | null>(null);
  const { user } = useUser();

  async function open(onFailed: (error: unknown) => void) {
    // Who has opened it by hand need not be asked again.
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

  // Nobody wanted it: that it did not come needs no words.
  useFeedbackPrompt(() => void open(() => {}));
  const readsOn = useReadsOn();

  return (
    <>
      {!isHidden && (
        <div
          className={classNames(
            'fixed right-[max(1rem,env(safe-area-inset-right))] bottom-[max(1rem,env(safe-area-inset-bottom))] z-20 flex items-center rounded-full border border-line bg-surface-raised shadow-float transition-[opacity,transform]',
            // Where nothing is free beside the page it would lie on what is being read; the keyboard still finds it.
            readsOn && 'max-lg:not-focus-within:translate-y-20 max-lg:not-focus-within:opacity-0',
            // On a phone it would lie on the button of the form.
            isAuthScreen(pathname) && 'max-sm:hidden',
          )}
        >
          <button
            type="button"
            onClick={() => void open((error) => showToast(errorToast('Could not open', error)))}
            className="flex h-9 items-center justify-center gap-2 rounded-full pr-2 pl-3.5 text-sm font-medium hover:text-accent touch:h-11 touch:pr-1 max-sm:w-11 max-sm:px-0"
          >
            <Star className="text-accent" />
            <span className="max-sm:sr-only">Rate Your Experience</span>
          </button>
          <button
            type="button"
            onClick={hide}
            className="mr-1 flex size-7 items-center justify-center rounded-full text-ink-faint hover:bg-surface-hover hover:text-ink touch:mr-0 touch:size-11"
          >
            <X className="size-3.5" />
            <span className="sr-only">Dismiss</span>
          </button>
        </div>
      )}
      {FeedbackDialog !== null && (
        <FeedbackDialog
          // What one account typed is not shown to the next.
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

/** A finger that rests moves the page by less. */
const STEP_PX = 8;

/** Whether the page is being scrolled down, until it is scrolled up again or its end is seen. */
function useReadsOn(): boolean {
  const [readsOn, setReadsOn] = useState(false);

  useEffect(() => {
    let last = window.scrollY;
    function look() {
      const { scrollHeight } = document.documentElement;
      const isAtEnd = window.scrollY + window.innerHeight >= scrollHeight - STEP_PX;
      if (isAtEnd) setReadsOn(false);
      if (Math.abs(window.scrollY - last) < STEP_PX) return;
      setReadsOn(window.scrollY > last && !isAtEnd);
      last = window.scrollY;
    }
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);

  return readsOn;
}
