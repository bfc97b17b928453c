import { useId, useState } from 'react';
import { FEEDBACK_MAIN_APP } from '../../../routers/schemas/feedback.ts';
import { DataProvider } from '../../api/data-provider.tsx';
import { errorMessage } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Textarea } from '../../components/textarea.tsx';
import { showToast } from '../../components/toast-store.ts';
import { clearDraft, emptyDraft, type FeedbackDraft, readDraft, writeDraft } from './feedback-draft.ts';
import { StarField } from './star-field.tsx';

export type FeedbackDialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onSent: () => void;
};

export function FeedbackDialog(props: FeedbackDialogProps) {
  return (
    <DataProvider>
      <DialogWithData {...props} />
    </DataProvider>
  );
}

function DialogWithData({ isOpen, onOpenChange, onSent }: FeedbackDialogProps) {
  const [draft, setDraft] = useState(readDraft);
  const formId = useId();
  const rate = trpc.feedback.rate.useMutation({
    meta: { refresh: false },
    onSuccess() {
      setDraft(emptyDraft);
      clearDraft();
      showToast({ title: 'Thank you for your feedback!', description: 'Your feedback helps us improve the product.' });
      onSent();
    },
    onError(error) {
      const description = errorMessage(error, 'Please try again later.') || 'Please try again later.';
      showToast({ title: 'Failed to submit feedback', description, variant: 'destructive' });
    },
  });

  function change(part: Partial<FeedbackDraft>) {
    const next = { ...draft, ...part };
    setDraft(next);
    writeDraft(next);
  }

  function send() {
    if (rate.isPending) return;
    if (draft.rating === 0) {
      showToast({
        title: 'Please select a rating',
        description: 'Let us know what you think by selecting a star rating.',
      });
      return;
    }
    const comment = draft.comment.trim();
    rate.mutate({ rating: draft.rating, deploymentId: FEEDBACK_MAIN_APP, ...(comment !== '' && { comment }) });
  }

  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title="Rate Your Experience"
      description="Help us improve by sharing your experience with the product."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Not now</Button>
          <Button type="submit" form={formId} variant="primary" isBusy={rate.isPending} busyLabel="Sending…">
            Send feedback
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <StarField rating={draft.rating} onRate={(rating) => change({ rating })} />
        <Field label="Comment" hint="Optional. What went well, what stopped you?">
          <Textarea
            value={draft.comment}
            maxLength={2_000}
            onChange={(event) => change({ comment: event.target.value })}
          />
        </Field>
      </form>
    </Dialog>
  );
}
