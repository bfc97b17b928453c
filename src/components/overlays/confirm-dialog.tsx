import { AlertDialog } from 'radix-ui';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button, type ButtonProps } from '../button.tsx';
import { Field } from '../fields/field.tsx';
import { Input } from '../fields/input.tsx';
import { dismissLeftToasts } from './toast-store.ts';
import { useBackCloses } from './use-back-closes.ts';
import { useFocusReturn } from './use-focus-return.ts';
import { useSubmitOnce } from './use-submit-once.ts';

/** Longer than the slowest double click that systems let people choose (Windows: 900 ms). */
const DOUBLE_CLICK_MS = 1_000;

export type ConfirmDialogProps = {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  /** Explains what is lost and what stays. */
  description: ReactNode;
  /** The act of the button, the same word as in the toast and the history. */
  confirmLabel: string;
  busyLabel?: string | undefined;
  /** Replaces "Cancel" for an act that is itself a cancellation. */
  cancelLabel?: string | undefined;
  isBusy?: boolean | undefined;
  /** The look of its button, by default that of a destructive act. */
  variant?: ButtonProps['variant'];
  /** The name that must be typed before an act that cannot be undone. */
  nameToType?: string | undefined;
  /**
   * True when it replaces another dialog, whose button may be in the middle of a double click: it begins a second
   * later.
   */
  isSuccessor?: boolean | undefined;
  /** Further fields that the act needs. */
  children?: ReactNode;
  /** The dialog stays open, and cannot be closed while it is busy; the caller closes it when the work is done. */
  onConfirm: () => unknown;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const focusReturn = useFocusReturn();
  const change = (isOpen: boolean): void => {
    if (isOpen || props.isBusy !== true) props.onOpenChange(isOpen);
  };
  useBackCloses(props.isOpen, () => change(false));
  return (
    <AlertDialog.Root open={props.isOpen} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-appear bg-scrim data-[state=closed]:animate-leave" />
        <AlertDialog.Content
          {...focusReturn}
          onOpenAutoFocus={(event) => {
            focusReturn.onOpenAutoFocus();
            dismissLeftToasts();
            if (props.nameToType === undefined || !(event.currentTarget instanceof HTMLElement)) return;
            // It would go to Cancel.
            event.preventDefault();
            event.currentTarget.querySelector('input')?.focus();
          }}
          className="fixed inset-x-4 inset-y-0 z-40 m-auto h-fit max-h-[90dvh] overflow-y-auto rounded-card bg-surface-raised shadow-float outline-none data-[state=open]:animate-rise data-[state=closed]:animate-leave sm:max-w-dialog"
        >
          <ConfirmForm {...props} />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** This is a component of its own, so that typed text is gone when the dialog opens again. */
function ConfirmForm({
  title,
  description,
  confirmLabel,
  busyLabel,
  cancelLabel = 'Cancel',
  isBusy = false,
  variant = 'danger',
  nameToType,
  isSuccessor = false,
  children,
  onConfirm,
}: ConfirmDialogProps) {
  const [typed, setTyped] = useState('');
  const [isHeld, setHeld] = useState(isSuccessor);
  const formId = useId();
  const mayConfirm = !isHeld && (nameToType === undefined || plain(typed) === plain(nameToType));
  const submit = useSubmitOnce(isBusy, () => (mayConfirm ? onConfirm() : undefined));
  useEffect(() => {
    const release = setTimeout(() => setHeld(false), DOUBLE_CLICK_MS);
    return () => clearTimeout(release);
  }, []);
  return (
    <>
      <form id={formId} noValidate className="flex flex-col gap-4 p-5" onSubmit={submit}>
        <div>
          <AlertDialog.Title className="text-lg font-semibold wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-1.5 text-ink-muted">{description}</div>
          </AlertDialog.Description>
        </div>
        {nameToType !== undefined && <NameField name={nameToType} value={typed} onChange={setTyped} />}
        {children}
      </form>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-4 max-sm:flex-col-reverse max-sm:*:w-full">
        <AlertDialog.Cancel asChild>
          <Button disabled={isBusy}>{cancelLabel}</Button>
        </AlertDialog.Cancel>
        <Button
          type="submit"
          form={formId}
          variant={variant}
          disabled={!mayConfirm}
          isBusy={isBusy}
          busyLabel={busyLabel}
        >
          {confirmLabel}
        </Button>
      </div>
    </>
  );
}

/** Returns the name as it is compared: keyboards of phones write a capital first, and quotes that are bent. */
function plain(name: string): string {
  const straight = name.replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
  return straight.replace(/\s+/g, ' ').trim().toLowerCase();
}

type NameFieldProps = { name: string; value: string; onChange: (typed: string) => void };

function NameField({ name, value, onChange }: NameFieldProps) {
  return (
    <Field
      label={
        <>
          Type <code className="rounded-tight bg-surface-sunken px-1 font-mono wrap-anywhere">{name}</code> to confirm
        </>
      }
    >
      <Input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Field>
  );
}
