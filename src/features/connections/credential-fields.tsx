import { ExternalLink } from 'lucide-react';
import { Controller, useFormContext } from 'react-hook-form';
import { type DnsFieldFacts, isDnsProvider } from '../../../routers/schemas/dns-providers.ts';
import { trpc } from '../../api/trpc.ts';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { Select } from '../../components/fields/select.tsx';
import { type AnyProvider, type CredentialForm, guideFor, pathOf } from './credential-form.ts';

/** Shows where the credential is made, its required permissions, and the fields for it. */
export function CredentialFields({ provider }: { provider: AnyProvider }) {
  const { data } = trpc.connections.list.useQuery();
  const { create, credential, path, permissions, fields, ...guide } = guideFor(provider);
  const url = isDnsProvider(provider) ? guide.url : (data?.tokenPages[provider] ?? guide.url);
  return (
    <>
      <div className="flex flex-col gap-2 rounded-card bg-surface-sunken px-4 py-3 text-sm">
        <p>
          {url !== null && (
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1.5 font-medium text-accent hover:underline"
            >
              {create}
              <ExternalLink className="size-3.5" aria-hidden />
            </a>
          )}
          <span className="block text-ink-muted">{path}</span>
        </p>
        <ul className="flex flex-col gap-1 text-ink-muted" aria-label={`What the ${credential} needs`}>
          {permissions.map((permission) => (
            <li key={permission} className="wrap-anywhere">
              {permission}
            </li>
          ))}
        </ul>
      </div>
      {fields.map((facts) => (
        <CredentialField key={`${provider} ${facts.name}`} provider={provider} facts={facts} />
      ))}
    </>
  );
}

function CredentialField({ provider, facts }: { provider: AnyProvider; facts: DnsFieldFacts }) {
  const { control, register, getFieldState, formState } = useFormContext<CredentialForm>();
  const { name, label, placeholder, description, isSecret, isOptional, isNumber, choices } = facts;
  const path = pathOf(provider, name);
  const typed = { autoComplete: 'off', placeholder, ...register(path) };
  return (
    <Field
      label={isOptional === true ? `${label} (optional)` : label}
      hint={description}
      error={getFieldState(path, formState).error?.message}
    >
      {choices !== undefined ? (
        <Controller
          name={path}
          control={control}
          render={({ field }) => (
            <Select
              value={field.value}
              onValueChange={field.onChange}
              options={choices.map((value) => ({ value, label: value }))}
            />
          )}
        />
      ) : isSecret === true ? (
        <PasswordInput what="token" {...typed} />
      ) : (
        <Input
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          inputMode={isNumber === true ? 'numeric' : undefined}
          {...typed}
        />
      )}
    </Field>
  );
}
