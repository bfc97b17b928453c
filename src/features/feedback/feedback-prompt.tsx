import { Star, X } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { errorToast } from '../../api/errors.ts';
import { useUser } from '../../api/user.ts';
import { classNames } from '../../components/class-names.ts';
import { showToast } from '../../components/toast-store.ts';
import { later } from '../../lib/later.ts';
import { isAuthScreen } from '../../lib/paths.ts';
import { isFeedbackDismissed, rememberFeedbackAsked, rememberFeedbackDismissed } from './feedback-draft.ts';
import { useFeedbackPrompt } from './use-feedback-prompt.ts';
import { useReadsOn } from './use-reads-on.ts';

const feedbackDialog = later(async () => (await import('./feedback-dialog.tsx')).FeedbackDialog);

/** The floating button at the bottom right, and the dialog that it opens; one for the whole app. */
export function FeedbackPrompt() {
  const { pathname } = useLocation();
  const [isHidden, setHidden] = useState(isFeedbackDismissed);
  const [isOpen, setOpen] = useState(false);
  // The dialog is loaded when it is first wanted, and stays, so that closing it can be seen.
  const FeedbackDialog = useSyncExternalStore(feedbackDialog.subscribe, feedbackDialog.read);
  const { user } = useUser();

  function open(onFailed: (error: unknown) => void) {
    // Who has opened it by hand need not be asked again.
    rememberFeedbackAsked();
    setOpen(true);
    feedbackDialog.fetch().catch((error: unknown) => {
      setOpen(false);
      onFailed(error);
    });
  }

  function hide() {
    rememberFeedbackDismissed();
    setHidden(true);
  }

  // Nobody wanted it: that it did not come needs no words.
  useFeedbackPrompt(() => open(() => {}));
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
            onClick={() => open((error) => showToast(errorToast('Could not open', error)))}
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
