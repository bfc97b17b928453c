import { FormProvider, useForm } from 'react-hook-form';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { useSchemaResolver } from '../../lib/schema-resolver.ts';
import { NewPasswordFields } from './new-password-fields.tsx';
import { useRegister } from './use-register.ts';

const loadSchema = async () => (await import('../../../routers/schemas/auth.ts')).registerForm;

export function RegisterForm() {
  const form = useForm({
    resolver: useSchemaResolver(loadSchema),
    mode: 'onTouched',
    defaultValues: { username: '', email: '', password: '', confirmPassword: '' },
  });
  const { register, isPending } = useRegister({ reset: () => form.reset(), setError: form.setError });
  const { errors } = form.formState;

  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={form.handleSubmit(register)} className="flex flex-col gap-4">
        <Field label="Username" error={errors.username?.message}>
          <Input {...form.register('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
        </Field>
        <Field label="Email" error={errors.email?.message}>
          <Input {...form.register('email')} type="email" autoComplete="email" spellCheck={false} />
        </Field>
        <NewPasswordFields label="Password" name="password" />
        <Button type="submit" variant="primary" isBusy={isPending} busyLabel="Registering..." className="mt-1 w-full">
          Register
        </Button>
      </form>
    </FormProvider>
  );
}
