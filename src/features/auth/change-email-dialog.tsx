import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { changeEmailInput } from '../../../routers/schemas/auth.ts';
import type { User } from '../../../routers/schemas/user.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { showLinkToast } from '../../api/link-toast.ts';
import { SentOrKept } from '../../api/sent-or-kept.tsx';
import { trpc } from '../../api/trpc.ts';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

const ONCE_OPENED = 'Your address changes once you open the confirmation link.';

/** Asks for another address; the old one stays until the new one is confirmed. */
export function ChangeEmailDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { email: old, emailConfirmed: isNotified } = user;
  const form = useForm({
    resolver: standardSchemaResolver(changeEmailInput),
    mode: 'onTouched',
    defaultValues: { email: '', currentPassword: '' },
  });
  const { errors } = form.formState;
  const change = trpc.auth.changeEmail.useMutation({
    async onSuccess(_done, { email }) {
      onClose();
      await showLinkToast(`Open the link we sent to ${email} to confirm the address.`);
    },
    onError(error) {
      if (!applyFieldErrors(error, ['email', 'currentPassword'], form.setError)) {
        showToast(errorToast('The address was not changed', error));
      }
    },
  });

  return (
    <FormDialog
      title="Change your email address"
      description={
        <SentOrKept
          sent={`${ONCE_OPENED}${isNotified ? ` We also notify ${old}.` : ''}`}
          kept={`${ONCE_OPENED} This Fairlead does not send email: it keeps the link in its outbox${isNotified ? `, along with a notice to ${old}` : ''}.`}
        />
      }
      submitLabel="Get a link"
      busyLabel="Creating the link…"
      isBusy={change.isPending}
      onSubmit={form.handleSubmit((input) => change.mutate(input))}
      onClose={onClose}
    >
      <Field label="New email" error={errors.email?.message}>
        <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
      </Field>
      <Field label="Current password" error={errors.currentPassword?.message}>
        <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
      </Field>
    </FormDialog>
  );
}
