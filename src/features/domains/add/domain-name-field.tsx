import type { ComponentProps, ReactNode } from 'react';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';

export type DomainNameFieldProps = ComponentProps<'input'> & {
  label?: string | undefined;
  hint?: ReactNode;
  error?: string | undefined;
};

/** A field for typing or pasting a domain. */
export function DomainNameField({
  label = 'Domain',
  hint = 'Adding example.com also adds www.example.com, and the other way round.',
  error,
  ...input
}: DomainNameFieldProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      <Input
        {...input}
        placeholder="example.com"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        inputMode="url"
        className="font-mono"
      />
    </Field>
  );
}
