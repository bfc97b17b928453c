import { useState } from 'react';
import { RATING_WANTED } from '../../../routers/schemas/feedback.ts';
import { FEEDBACK_COMMENT_MAX, FEEDBACK_MAIN_APP } from '../../../routers/schemas/limits.ts';
import { DataProvider } from '../../api/data-provider.tsx';
import { serverMessage } from '../../api/errors.ts';
import { trpc, trpcClient } from '../../api/trpc.ts';
import { Field } from '../../components/fields/field.tsx';
import { Textarea } from '../../components/fields/textarea.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { clearDraft, emptyDraft, type FeedbackDraft, readDraft, writeDraft } from './feedback-draft.ts';
import { StarField } from './star-field.tsx';

export type FeedbackDialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onSent: () => void;
};

/** Returns whether anything of the account is live. */
export async function hasLiveSite(): Promise<boolean> {
  return (await trpcClient.deployments.list.query({ state: 'live', limit: 1 })).items.length > 0;
}

export function FeedbackDialog(props: FeedbackDialogProps) {
  return (
    <DataProvider>
      <DialogWithData {...props} />
    </DataProvider>
  );
}

function DialogWithData({ isOpen, onOpenChange, onSent }: FeedbackDialogProps) {
  const { draft, isUnrated, setUnrated, isBusy, change, send } = useRating(onSent);
  return (
    <FormDialog
      isOpen={isOpen}
      title="Rate Your Experience"
      description="Help us improve by sharing your experience with the product."
      submitLabel="Send feedback"
      busyLabel="Sending…"
      cancelLabel="Not now"
      isBusy={isBusy}
      onSubmit={send}
      onClose={() => {
        setUnrated(false);
        onOpenChange(false);
      }}
    >
      <StarField
        rating={draft.rating}
        error={isUnrated ? RATING_WANTED : undefined}
        onRate={(rating) => {
          setUnrated(false);
          change({ rating });
        }}
      />
      <Field label="Comment" hint="Optional. What went well, what stopped you?">
        <Textarea
          value={draft.comment}
          maxLength={FEEDBACK_COMMENT_MAX}
          onChange={(event) => change({ comment: event.target.value })}
        />
      </Field>
    </FormDialog>
  );
}

/** Holds the draft of a rating, and sends it. */
function useRating(onSent: () => void) {
  const [draft, setDraft] = useState(readDraft);
  const [isUnrated, setUnrated] = useState(false);
  const rate = trpc.feedback.rate.useMutation({
    meta: { refresh: false },
    onSuccess() {
      setDraft(emptyDraft);
      clearDraft();
      showToast({ title: 'Thank you for your feedback!', description: 'Your feedback helps us improve the product.' });
      onSent();
    },
    onError(error) {
      const description = serverMessage(error) ?? 'Please try again later.';
      showToast({ title: 'Failed to submit feedback', description, variant: 'destructive' });
    },
  });

  function change(part: Partial<FeedbackDraft>) {
    const next = { ...draft, ...part };
    setDraft(next);
    writeDraft(next);
  }

  function send() {
    if (draft.rating === 0) {
      setUnrated(true);
      showToast({
        title: RATING_WANTED,
        description: 'Let us know what you think by selecting a star rating.',
      });
      return;
    }
    const comment = draft.comment.trim();
    rate.mutate({ rating: draft.rating, deploymentId: FEEDBACK_MAIN_APP, ...(comment !== '' && { comment }) });
  }

  return { draft, isUnrated, setUnrated, isBusy: rate.isPending, change, send };
}
