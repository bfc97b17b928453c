import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { FormProvider, useForm } from 'react-hook-form';
import { newPasswordForm } from '../../../../routers/schemas/auth.ts';
import { applyFieldErrors, errorDetails, errorToast } from '../../../api/errors.ts';
import { session } from '../../../api/session/session.ts';
import { Button } from '../../../components/button.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { LINK_INCOMPLETE, LINK_OVER_TITLE, type LinkRefusal, RESET_LINK_EXPIRED } from '../link-expiry.ts';
import { NewPasswordFields } from './new-password-fields.tsx';

export type ResetPasswordFormProps = {
  token: string;
  onDone: () => void;
  /** Called when the link was used before, or is too old. */
  onLinkOver: (refusal: LinkRefusal) => void;
};

/** Sets a new password, which ends all sessions, including one in this browser, and signs nobody in. */
export function ResetPasswordForm({ token, onDone, onLinkOver }: ResetPasswordFormProps) {
  const form = useForm({
    resolver: standardSchemaResolver(newPasswordForm),
    mode: 'onTouched',
    defaultValues: { password: '', confirmPassword: '' },
  });
  const { isSubmitting } = form.formState;

  async function save({ password: chosen }: { password: string }): Promise<void> {
    let accountId: string;
    try {
      const { trpcClient } = await import('../../../api/trpc.ts');
      ({ accountId } = await trpcClient.auth.resetPassword.mutate({ token, password: chosen }));
    } catch (error) {
      const { code, fieldErrors } = errorDetails(error);
      if (fieldErrors?.token !== undefined) {
        onLinkOver(LINK_INCOMPLETE);
      } else if (code === 'token_invalid') {
        onLinkOver({ title: LINK_OVER_TITLE, reason: errorDetails(error).hint ?? RESET_LINK_EXPIRED });
      } else if (!applyFieldErrors(error, ['password'], form.setError)) {
        showToast(errorToast('The password was not saved', error));
      }
      return;
    }
    if (accountId === session.accountId()) session.signOut();
    onDone();
  }
  const submit = useSubmitOnce(isSubmitting, form.handleSubmit(save));

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={submit} data-steady className="group flex flex-col gap-1.5">
        <NewPasswordFields label="New password" name="password" />
        <Button type="submit" variant="primary" isBusy={isSubmitting} busyLabel="Saving…" className="mt-1 w-full">
          Save the new password
        </Button>
      </form>
    </FormProvider>
  );
}
