import { type FormEvent, type ReactNode, useId } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import { useSubmitOnce } from './use-submit-once.ts';

export type FormDialogProps = {
  isOpen?: boolean | undefined;
  title: string;
  description?: ReactNode;
  /** The verb on the button. */
  submitLabel: string;
  busyLabel: string;
  cancelLabel?: string | undefined;
  isBusy: boolean;
  /**
   * False while it cannot be sent, for a reason in the form, or its text is still loading: later text would move the
   * button under the pointer.
   */
  isReady?: boolean;
  /** The look of its button: `secondary` when another act in the form comes first. */
  variant?: ButtonProps['variant'];
  /** True when it may be closed while it is being sent: `onClose` then stops the work. */
  isStoppable?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown;
  /** Called when the person closes it; the caller also closes it when the work is done. */
  onClose: () => void;
  /** The fields; each shows its own error. */
  children: ReactNode;
};

/**
 * A dialog with a form. While it is being sent it cannot be sent again, and closes only if that stops the work: it
 * shows what comes back, a secret or an error of a field.
 */
export function FormDialog({
  isOpen = true,
  title,
  description,
  submitLabel,
  busyLabel,
  cancelLabel = 'Cancel',
  isBusy,
  isReady = true,
  variant = 'primary',
  isStoppable = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const formId = useId();
  const submit = useSubmitOnce(isBusy, onSubmit);
  const mayClose = !isBusy || isStoppable;
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(isWanted) => {
        if (!isWanted && mayClose) onClose();
      }}
      title={title}
      description={description}
      footer={
        <>
          <Button disabled={!mayClose} onClick={onClose}>
            {cancelLabel}
          </Button>
          <Button
            variant={variant}
            type="submit"
            form={formId}
            disabled={!isReady}
            isBusy={isBusy}
            busyLabel={busyLabel}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {children}
      </form>
    </Dialog>
  );
}
