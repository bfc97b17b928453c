import { type FormEvent, useRef } from 'react';

type Submit = FormEvent<HTMLFormElement>;

/**
 * Returns the handler of a form that is sent once at a time. `isBusy` alone is not enough: it is rendered a moment
 * after the first click, and the second one may come before. The form is free again when the promise of `onSubmit` has
 * settled and `isBusy` is over.
 */
export function useSubmitOnce(isBusy: boolean, onSubmit: (event: Submit) => unknown): (event: Submit) => void {
  const isSending = useRef(false);
  async function send(event: Submit): Promise<void> {
    isSending.current = true;
    try {
      await onSubmit(event);
    } finally {
      // A mutation reports its start by a timer that was set before this one: by now it is rendered as busy.
      setTimeout(() => {
        isSending.current = false;
      });
    }
  }
  return (event) => {
    event.preventDefault();
    // For React, the form of a dialog is inside the form that opened it.
    event.stopPropagation();
    if (!isBusy && !isSending.current) void send(event);
  };
}
