import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { deleteAccountInput } from '../../../routers/schemas/account.ts';
import type { User } from '../../../routers/schemas/user.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { showLinkToast } from '../../api/link-toast.tsx';
import { session } from '../../api/session/session.ts';
import { trpc } from '../../api/trpc.ts';
import { Field } from '../../components/fields/field.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';

/** `loss`: a sentence about the websites and the plan, shown first. */
export type DeleteAccountDialogProps = { user: User; loss: string; onClose: () => void };

export function DeleteAccountDialog({ user, loss, onClose }: DeleteAccountDialogProps) {
  const navigate = useNavigate();
  const form = useForm({
    resolver: standardSchemaResolver(deleteAccountInput),
    mode: 'onTouched',
    // The dialog has it typed once more before it confirms.
    defaultValues: { username: user.username, currentPassword: '' },
  });
  const how = user.emailConfirmed
    ? 'You will get a link that deletes your account. For 7 days after a change of email, it goes to your earlier address, if that was confirmed.'
    : 'Your email address is not confirmed, so no link is sent: your password is enough to delete the account.';
  const { errors } = form.formState;
  const remove = trpc.account.delete.useMutation({
    meta: { refresh: false },
    async onSuccess({ mailedTo }) {
      if (mailedTo !== null) {
        onClose();
        await showLinkToast(mailedTo, 'delete-account', `Open the link we sent to ${mailedTo} to delete the account.`);
        return;
      }
      // Leaving the page comes first: a guard that sees the session gone would lead to /auth with the page as redirect.
      navigate(paths.home);
      session.signOut();
      showToast({ title: 'Account deleted', description: 'Its websites are being taken down.' });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['currentPassword'], form.setError)) {
        showToast(errorToast('The account was not deleted', error));
      }
    },
  });

  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title="Delete your account?"
      description={`${how} ${loss} Your files, releases, settings and API tokens are erased. This cannot be undone. Export everything first if you want to keep it.`}
      confirmLabel="Delete account"
      busyLabel="Deleting…"
      nameToType={user.username}
      isBusy={remove.isPending}
      onConfirm={() => form.handleSubmit((input) => remove.mutate(input))()}
    >
      <Field label="Current password" error={errors.currentPassword?.message}>
        <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
      </Field>
    </ConfirmDialog>
  );
}
