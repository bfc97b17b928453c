import { useForm, useWatch } from 'react-hook-form';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { useSchemaResolver } from '../../lib/schema-resolver.ts';
import { PasswordMeter } from './password-meter.tsx';
import { useRegister } from './use-register.ts';

const loadSchema = async () => (await import('../../../routers/schemas/auth.ts')).registerForm;

export function RegisterForm() {
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: 'onTouched',
    defaultValues: { username: '', email: '', password: '', confirmPassword: '' },
  });
  const { register, isPending } = useRegister({ reset: () => form.reset(), setError: form.setError });
  const password = useWatch({ control: form.control, name: 'password' });
  const { errors } = form.formState;

  /** A password that changes under its confirmation is compared again at once. */
  function compareAgain() {
    if (form.getValues('confirmPassword') !== '') void form.trigger('confirmPassword');
  }

  return (
    <form noValidate onSubmit={form.handleSubmit(register)} className="flex flex-col gap-4">
      <Field label="Username" error={errors.username?.message}>
        <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
      </Field>
      <Field label="Email" error={errors.email?.message}>
        <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
      </Field>
      <div>
        <Field label="Password" error={errors.password?.message}>
          <PasswordInput {...form.register('password', { onChange: compareAgain })} autoComplete="new-password" />
        </Field>
        <PasswordMeter password={password} />
      </div>
      <Field label="Confirm Password" error={errors.confirmPassword?.message}>
        <PasswordInput {...form.register('confirmPassword')} autoComplete="new-password" />
      </Field>
      <Button type="submit" variant="primary" isBusy={isPending} busyLabel="Registering..." className="mt-1 w-full">
        Register
      </Button>
    </form>
  );
}
