import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { FormProvider, useForm } from 'react-hook-form';
import { changePasswordForm } from '../../../../routers/schemas/auth.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { useUser } from '../../../api/user.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { PasswordInput } from '../../../components/fields/password-input.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { NewPasswordFields } from './new-password-fields.tsx';

const empty = { currentPassword: '', newPassword: '', confirmPassword: '' };

/** Changes the password, which needs the current one; every other browser is signed out. */
export function ChangePasswordForm() {
  const form = useForm({
    resolver: standardSchemaResolver(changePasswordForm),
    mode: 'onTouched',
    defaultValues: empty,
  });
  const { errors } = form.formState;
  const { user } = useUser();
  const change = trpc.auth.changePassword.useMutation({
    onSuccess() {
      form.reset(empty);
      showToast({ title: 'Password changed', description: 'Every other browser was logged out.' });
    },
    onError(error) {
      if (!applyFieldErrors(error, ['currentPassword', 'newPassword'], form.setError)) {
        showToast(errorToast('The password was not changed', error));
      }
    },
  });
  const submit = useSubmitOnce(
    change.isPending,
    form.handleSubmit(({ currentPassword, newPassword }) => change.mutate({ currentPassword, newPassword })),
  );

  /** Checks a new password again that was refused for being the current one. */
  function compareAgain() {
    if (form.getFieldState('newPassword').invalid) void form.trigger('newPassword');
  }

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Current password" error={errors.currentPassword?.message}>
          <PasswordInput
            {...form.register('currentPassword', { onChange: compareAgain })}
            autoComplete="current-password"
          />
        </Field>
        <NewPasswordFields label="New password" name="newPassword" username={user?.username} />
        <Button type="submit" variant="primary" isBusy={change.isPending} busyLabel="Changing…" className="self-start">
          Change password
        </Button>
      </form>
    </FormProvider>
  );
}
