import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { type ForgotPasswordInput, forgotPasswordInput } from '../../../routers/schemas/auth.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { showToast } from '../../components/toast-store.ts';
import { paths } from '../../lib/paths.ts';
import { LINK_LIFETIME } from './link-expiry.ts';

/** Asks for a link; what it says afterwards is the same whether or not there is such an account. */
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
      const { trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.auth.forgotPassword.mutate(input);
      setSentTo(input.email);
    } catch (error) {
      if (!applyFieldErrors(error, ['email'], form.setError)) showToast(errorToast('The link was not sent', error));
    }
  }

  if (sentTo !== null) {
    return (
      <div role="status" className="flex flex-col gap-4 text-center">
        <p>
          If an account has the address <span className="font-medium wrap-anywhere">{sentTo}</span>, a link is on its
          way to it. It works once, for {LINK_LIFETIME}.
        </p>
        <p className="text-sm text-ink-muted">Nothing there after a few minutes? Look in your spam folder.</p>
        <Button onClick={() => setSentTo(null)}>Use another address</Button>
        <BackToLogin />
      </div>
    );
  }
  return (
    <form noValidate onSubmit={form.handleSubmit(send)} className="flex flex-col gap-4">
      <Field label="Email" hint="The address of your account" error={errors.email?.message}>
        <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
      </Field>
      <Button type="submit" variant="primary" isBusy={isSubmitting} busyLabel="Sending…" className="mt-1 w-full">
        Send the link
      </Button>
      <BackToLogin />
    </form>
  );
}

function BackToLogin() {
  return (
    <p className="text-center text-sm">
      <Link
        to={paths.login}
        className="rounded-tight text-accent underline-offset-4 hover:underline touch:inline-block touch:py-3"
      >
        Back to login
      </Link>
    </p>
  );
}
