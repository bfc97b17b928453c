import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { type ForgotPasswordInput, forgotPasswordInput } from '../../../../routers/schemas/auth.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { askKeepsMail, useKeepsMail } from '../../../api/keeps-mail.ts';
import { useUser } from '../../../api/user.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { OutboxCommand } from '../../../components/outbox-command.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { paths } from '../../../lib/paths/paths.ts';
import { RESET_LINK_LIFETIME } from '../link-expiry.ts';

/** Asks for a link; its answer is the same whether or not the account exists. */
export function ForgotPasswordForm() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({
    resolver: standardSchemaResolver(forgotPasswordInput),
    mode: 'onTouched',
    defaultValues: { email: '' },
  });
  const { errors, isSubmitting } = form.formState;

  async function send(input: ForgotPasswordInput): Promise<void> {
    try {
      const { trpcClient } = await import('../../../api/trpc.ts');
      await Promise.all([trpcClient.auth.forgotPassword.mutate(input), askKeepsMail()]);
      setSentTo(input.email);
    } catch (error) {
      if (!applyFieldErrors(error, ['email'], form.setError)) showToast(errorToast('The link was not created', error));
    }
  }
  const submit = useSubmitOnce(isSubmitting, form.handleSubmit(send));

  if (sentTo !== null) {
    return (
      <div role="status" className="flex flex-col gap-4 text-center">
        <Answer email={sentTo} />
        <Button onClick={() => setSentTo(null)}>Use another address</Button>
        <WayBack />
      </div>
    );
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Email" hint="The address of your account." error={errors.email?.message}>
        <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
      </Field>
      <Button
        type="submit"
        variant="primary"
        isBusy={isSubmitting}
        busyLabel="Creating the link…"
        className="mt-1 w-full"
      >
        Get a link
      </Button>
      <WayBack />
    </form>
  );
}

function Answer({ email }: { email: string }) {
  // Null until it is known: before that, neither "sent" nor "kept" is shown.
  const keepsMail = useKeepsMail();
  return (
    <>
      <p>
        If <span className="font-medium wrap-anywhere">{email}</span> belongs to an account,{' '}
        {keepsMail === false ? 'we sent a link there' : 'a link is ready'}. It works once, within {RESET_LINK_LIFETIME}.
      </p>
      {keepsMail === true && (
        <p className="text-sm text-ink-muted">
          This Fairlead does not send email: it keeps messages in its outbox. To see the link, run{' '}
          <OutboxCommand to={email} kind="reset-password" /> on the computer where Fairlead runs.
        </p>
      )}
      {keepsMail === false && (
        <p className="text-sm text-ink-muted">Nothing after a few minutes? Check your spam folder.</p>
      )}
    </>
  );
}

/** Leads back to the login, or to Account for a person who is logged in. */
function WayBack() {
  const { user } = useUser();
  return (
    <p className="text-center text-sm">
      <Link
        to={user === null ? paths.login : paths.account}
        className="rounded-tight text-accent underline-offset-4 hover:underline touch:inline-block touch:py-3"
      >
        Back to {user === null ? 'login' : 'Account'}
      </Link>
    </p>
  );
}
