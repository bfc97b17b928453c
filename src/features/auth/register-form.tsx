import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { UseFormSetError } from 'react-hook-form';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import type { RegisterInput } from '../../../routers/schemas/auth.ts';
import { registerForm } from '../../../routers/schemas/auth.ts';
import { ACCOUNT_CREATED_TOAST_DELAY_MS, REGISTER_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { answerMessage, applyFieldErrors } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import { signInAs } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../components/overlays/use-submit-once.ts';
import { href } from '../../lib/paths/paths.ts';
import { forgetFormDraft, readFormDraft, useFormDraft } from '../../lib/storage/form-draft.ts';
import type { SendingProps } from './login-form.tsx';
import { NewPasswordFields } from './password/new-password-fields.tsx';
import { useDelayed } from './use-delayed.ts';

export type RegisterFormProps = SendingProps & {
  /** The path of the app that the person was going to: the plans lead on to it. */
  wanted: string | null;
};

const DRAFT = 'register';
const stored = { username: '', email: '' };
const empty = { ...stored, password: '', confirmPassword: '' };

export function RegisterForm({ isPending, setPending, wanted }: RegisterFormProps) {
  const form = useForm({
    resolver: standardSchemaResolver(registerForm),
    mode: 'onTouched',
    defaultValues: { ...empty, ...readFormDraft(DRAFT, stored) },
  });
  useFormDraft(DRAFT, stored, form, empty);
  const register = useRegister({
    setPending,
    wanted,
    reset: () => {
      form.reset(empty);
      forgetFormDraft(DRAFT);
    },
    setError: form.setError,
  });
  const { errors } = form.formState;
  const submit = useSubmitOnce(isPending, form.handleSubmit(register));
  const username = useWatch({ control: form.control, name: 'username' });

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={submit} data-steady className="group flex flex-col gap-1.5">
        {/* It is reset when the account is there, and would look as if it had failed until the plans open. */}
        <fieldset disabled={isPending && username === ''} className="contents">
          <Field label="Username" error={errors.username?.message}>
            <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
          </Field>
          <Field label="Email" error={errors.email?.message}>
            <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
          </Field>
          <NewPasswordFields label="Password" name="password" username={username} />
        </fieldset>
        <Button type="submit" variant="primary" isBusy={isPending} busyLabel="Registering..." className="mt-1 w-full">
          Register
        </Button>
      </form>
    </FormProvider>
  );
}

type RegisterFormValues = RegisterInput & { confirmPassword: string };

type RegisterDeps = Pick<RegisterFormProps, 'setPending' | 'wanted'> & {
  reset: () => void;
  setError: UseFormSetError<RegisterFormValues>;
};

/** Returns the registration with its two toasts and its timers. */
function useRegister({ setPending, wanted, reset, setError }: RegisterDeps) {
  const later = useDelayed();

  return async function register({ username, email, password }: RegisterFormValues): Promise<void> {
    setPending(true);
    try {
      // Loaded while the form is filled in; the screen itself has no tRPC.
      const { trpcClient } = await import('../../api/trpc.ts');
      signInAs(await trpcClient.auth.register.mutate({ username, email, password }));
    } catch (error) {
      setPending(false);
      session.dropToken();
      applyFieldErrors(error, ['username', 'email', 'password'], setError);
      showToast({
        title: 'Registration failed',
        description: answerMessage(error, 'Please try a different username'),
        variant: 'destructive',
      });
      return;
    }
    reset();
    showToast({ title: 'Registration successful', description: 'Your account has been created' });
    later(ACCOUNT_CREATED_TOAST_DELAY_MS, () =>
      showToast({
        title: 'Account created successfully',
        description: "Now let's choose a subscription plan to get started.",
      }),
    );
    later(REGISTER_REDIRECT_DELAY_MS, (navigate) => navigate(href.plans(wanted ?? undefined)));
  };
}
