import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { createTokenInput } from '../../../routers/schemas/tokens.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { Field } from '../../components/fields/field.tsx';
import { Input } from '../../components/fields/input.tsx';
import { PasswordInput } from '../../components/fields/password-input.tsx';
import { Select } from '../../components/fields/select.tsx';
import { Dialog } from '../../components/overlays/dialog.tsx';
import { FormDialog } from '../../components/overlays/form-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';

const LIVES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '366', label: 'In a year' },
  { value: 'none', label: 'Never' },
] as const;

/** Makes an API token and shows its secret once: it is stored nowhere. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <MakeDialog onClose={onClose} onMade={setSecret} />;
  return (
    <Dialog
      isOpen
      title="Copy your token now"
      description="You won’t see it again. Anyone who has it can act for you."
      footer={
        <Button variant="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-control border border-line bg-surface-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 grow py-1.5 font-mono text-sm break-all">{secret}</code>
        <CopyButton text={secret} label="Copy token" />
      </div>
    </Dialog>
  );
}

type MakeDialogProps = { onClose: () => void; onMade: (secret: string) => void };

function MakeDialog({ onClose, onMade }: MakeDialogProps) {
  const { form, create } = useCreateToken(onMade);
  const { errors } = form.formState;
  return (
    <FormDialog
      title="New API token"
      description="For a script or a build server, in place of your password."
      submitLabel="Create token"
      busyLabel="Creating…"
      isBusy={create.isPending}
      onSubmit={form.handleSubmit((input) => create.mutate(input))}
      onClose={onClose}
    >
      <Field label="Name" hint="What will use it, such as “Build server”." error={errors.name?.message}>
        <Input {...form.register('name')} autoComplete="off" />
      </Field>
      <Controller
        control={form.control}
        name="scopes"
        render={({ field }) => (
          <Checkbox
            label="Can publish and make changes (otherwise read-only)"
            isChecked={field.value.includes('write')}
            onChange={(mayWrite) => field.onChange(mayWrite ? ['read', 'write'] : ['read'])}
          />
        )}
      />
      <Controller
        control={form.control}
        name="expiresInDays"
        render={({ field }) => (
          <Field label="Expires">
            <Select
              label="Expires"
              placeholder="Expires"
              value={field.value === null ? 'none' : String(field.value)}
              onValueChange={(life) => field.onChange(life === 'none' ? null : Number(life))}
              options={[...LIVES]}
            />
          </Field>
        )}
      />
      <Field
        label="Current password"
        hint="Enter your password again, because the token will work without it."
        error={errors.currentPassword?.message}
      >
        <PasswordInput {...form.register('currentPassword')} autoComplete="current-password" />
      </Field>
    </FormDialog>
  );
}

function useCreateToken(onMade: MakeDialogProps['onMade']) {
  const form = useForm({
    resolver: standardSchemaResolver(createTokenInput),
    mode: 'onTouched',
    defaultValues: { name: '', scopes: ['read', 'write'], expiresInDays: 90, currentPassword: '' },
  });
  const create = trpc.tokens.create.useMutation({
    onSuccess: ({ secret }) => onMade(secret),
    onError: (error) => {
      if (!applyFieldErrors(error, ['name', 'currentPassword'], form.setError)) {
        showToast(errorToast('The token was not created', error));
      }
    },
  });
  return { form, create };
}
