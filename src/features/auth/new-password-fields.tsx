import { useFormContext, useWatch } from 'react-hook-form';
import { Field } from '../../components/field.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { PasswordMeter } from './password-meter.tsx';

export type NewPasswordFieldsProps = {
  label: string;
  /** What the form around calls the password; its twin is `confirmPassword`. */
  name: string;
};

/** A password that is chosen, its strength, and the same once more; for a form inside a `FormProvider`. */
export function NewPasswordFields({ label, name }: NewPasswordFieldsProps) {
  const form = useFormContext<Record<string, string>>();
  const password = useWatch({ control: form.control, name }) ?? '';
  const { errors } = form.formState;

  /** A password that changes under its confirmation is compared again at once. */
  function compareAgain() {
    if (form.getValues('confirmPassword') !== '') void form.trigger('confirmPassword');
  }

  return (
    <>
      <div>
        <Field label={label} error={errors[name]?.message}>
          <PasswordInput {...form.register(name, { onChange: compareAgain })} autoComplete="new-password" />
        </Field>
        <PasswordMeter password={password} />
      </div>
      <Field label="Confirm Password" error={errors.confirmPassword?.message}>
        <PasswordInput {...form.register('confirmPassword')} autoComplete="new-password" />
      </Field>
    </>
  );
}
