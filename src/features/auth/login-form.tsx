import { useForm } from 'react-hook-form';
import { Link } from 'react-router';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { paths } from '../../lib/paths.ts';
import { useSchemaResolver } from '../../lib/schema-resolver.ts';
import { useLogin } from './use-login.ts';

const loadSchema = async () => (await import('../../../routers/schemas/auth.ts')).loginInput;

/** `redirect`: a path of the app that a login leads to. */
export function LoginForm({ redirect }: { redirect: string }) {
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: 'onTouched',
    defaultValues: { username: '', password: '' },
  });
  const { login, isPending } = useLogin({ redirect, setError: form.setError });
  const { errors } = form.formState;

  return (
    <form noValidate onSubmit={form.handleSubmit(login)} className="flex flex-col gap-4">
      <Field label="Username" error={errors.username?.message}>
        <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="Password" error={errors.password?.message}>
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
