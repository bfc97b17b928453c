import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import type { LoginInput } from '../../../routers/schemas/auth.ts';
import { loginInput } from '../../../routers/schemas/auth.ts';
import { LOGIN_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { answerMessage, applyFieldErrors } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import { signInAs } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';
import { paths } from '../../lib/paths/paths.ts';
import { useDelayed } from './use-delayed.ts';

export type SendingProps = {
  /** Stays true until the timer leads away, so that nobody signs in twice. */
  isPending: boolean;
  setPending: (isPending: boolean) => void;
};

export type LoginFormProps = SendingProps & {
  /** A path of the app that a login leads to. */
  redirect: string;
};

export function LoginForm({ redirect, isPending, setPending }: LoginFormProps) {
  const form = useForm({
    resolver: standardSchemaResolver(loginInput),
    mode: 'onTouched',
    defaultValues: { username: '', password: '' },
  });
  const [failure, setFailure] = useState<string | null>(null);
  const login = useLogin({ redirect, setPending, setFailure, setError: form.setError });
  const { errors } = form.formState;
  const submit = useSubmitOnce(isPending, form.handleSubmit(login));

  return (
    <form
      noValidate
      onSubmit={submit}
      onInput={() => setFailure(null)}
      data-steady
      className="group flex flex-col gap-1.5"
    >
      <Field label="Username" hint="Or your email address." error={errors.username?.message}>
        <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field
        label="Password"
        // In the line that the field keeps for its own error, so that nothing moves.
        hint={failure !== null && <span className="text-bad">{failure}</span>}
        error={errors.password?.message}
      >
        <PasswordInput {...form.register('password')} autoComplete="current-password" />
      </Field>
      <Button type="submit" variant="primary" isBusy={isPending} busyLabel="Logging in..." className="mt-1 w-full">
        Log In
      </Button>
      <p className="text-center text-sm">
        <Link
          to={paths.authReset}
          className="rounded-tight text-accent underline-offset-4 hover:underline touch:inline-block touch:py-3"
        >
          Forgot your password?
        </Link>
      </p>
    </form>
  );
}

type Tells = { setError: UseFormSetError<LoginInput>; setFailure: (failure: string | null) => void };

/** Returns the login with its toasts and its timer. */
function useLogin({ redirect, setPending, setFailure, setError }: Omit<LoginFormProps, 'isPending'> & Tells) {
  const later = useDelayed();

  return async function login(input: LoginInput): Promise<void> {
    setPending(true);
    setFailure(null);
    try {
      // Loaded while the form is filled in; the screen itself has no tRPC.
      const { trpcClient } = await import('../../api/trpc.ts');
      signInAs(await trpcClient.auth.login.mutate(input));
    } catch (error) {
      setPending(false);
      session.dropToken();
      const description = answerMessage(error, 'Please check your credentials');
      if (!applyFieldErrors(error, ['username', 'password'], setError)) setFailure(description);
      showToast({ title: 'Login failed', description, variant: 'destructive' });
      return;
    }
    showToast({ title: 'Login successful', description: 'Welcome back!' });
    later(LOGIN_REDIRECT_DELAY_MS, (navigate) => navigate(redirect));
  };
}
