import { Check } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { classNames } from '../../../components/class-names.ts';
import { Field } from '../../../components/fields/field.tsx';
import { PasswordInput } from '../../../components/fields/password-input.tsx';
import { passwordChecks, passwordHint, passwordStrength, strengthLabel } from './password-strength.ts';

export type NewPasswordFieldsProps = {
  label: string;
  /** The form's name of the password; it is repeated in `confirmPassword`. */
  name: string;
  /** The account's user name, if it is known: a hint warns of a password that contains it. */
  username?: string | undefined;
};

/** A new password, its strength, and its repetition; for a form inside a `FormProvider`. */
export function NewPasswordFields({ label, name, username }: NewPasswordFieldsProps) {
  const form = useFormContext<Record<string, string>>();
  const password = useWatch({ control: form.control, name }) ?? '';
  const { errors } = form.formState;

  /** Compares a password again when it changes under its confirmation. */
  function compareAgain() {
    if (form.getValues('confirmPassword') !== '') void form.trigger('confirmPassword');
  }

  return (
    <>
      <Field label={label} error={errors[name]?.message}>
        <PasswordInput {...form.register(name, { onChange: compareAgain })} autoComplete="new-password" />
        <PasswordMeter password={password} username={username} />
      </Field>
      <Field label="Confirm Password" error={errors.confirmPassword?.message}>
        <PasswordInput {...form.register('confirmPassword')} autoComplete="new-password" />
      </Field>
    </>
  );
}

/** Strength bar, live checklist and hint under a new password. The hint refuses nothing. */
function PasswordMeter({ password, username }: { password: string; username?: string | undefined }) {
  const hint = passwordHint(password, username);
  const strength = passwordStrength(password);
  return (
    <div className="mt-2 flex flex-col gap-2.5">
      <div className="flex items-center gap-2">
        {/* biome-ignore lint/a11y/useSemanticElements: a <meter> is drawn by each browser in a way of its own */}
        <div
          role="meter"
          aria-label="Password strength"
          aria-valuenow={strength}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={password === '' ? 'Empty' : strengthLabel(strength)}
          className="h-1 grow overflow-hidden rounded-full bg-line"
        >
          <div
            className="h-full w-full origin-left rounded-full bg-accent transition-transform"
            style={{ transform: `scaleX(${strength / 100})` }}
          />
        </div>
        <span className="min-w-16 text-right text-xs text-ink-muted empty:hidden">
          {password === '' ? '' : strengthLabel(strength)}
        </span>
      </div>
      <ul className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 text-xs">
        {passwordChecks.map(({ label, isMet }) => (
          <ChecklistItem key={label} label={label} isMet={isMet(password)} />
        ))}
      </ul>
      <p role="status" className="text-xs text-warn empty:hidden">
        {hint}
      </p>
    </div>
  );
}

function ChecklistItem({ label, isMet }: { label: string; isMet: boolean }) {
  return (
    <li className={classNames('flex items-start gap-1.5', isMet ? 'text-good' : 'text-ink-muted')}>
      {isMet ? (
        <Check className="mt-px size-3.5 animate-tick" />
      ) : (
        <span aria-hidden className="m-1 mt-1.5 size-1.5 shrink-0 rounded-full bg-line-strong" />
      )}
      {label}
      <span className="sr-only">{isMet ? ' (done)' : ' (missing)'}</span>
    </li>
  );
}
