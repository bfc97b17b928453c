import { useState } from 'react';
import { createTokenInput, type Scope } from '../../../routers/schemas/tokens.ts';
import { errorToast, fieldErrors } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Input } from '../../components/input.tsx';
import { Select } from '../../components/select.tsx';
import { showToast } from '../../components/toast-store.ts';

const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '366', label: 'A year' },
  { value: 'none', label: 'Until it is revoked' },
] as const;
type Life = (typeof LIVES)[number]['value'];

/** Makes an API token and shows its secret once: it is kept nowhere. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret === null) return <MakeDialog onClose={onClose} onMade={setSecret} />;
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title="Copy your token now"
      description="It is shown this once. Whoever has it can do what you allowed."
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

function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [name, setName] = useState('');
  const [mayWrite, setMayWrite] = useState(true);
  const [life, setLife] = useState<Life>('90');
  const [problem, setProblem] = useState<string | undefined>();
  const create = trpc.tokens.create.useMutation({
    onSuccess: ({ secret }) => onMade(secret),
    onError: (error) => {
      const ofName = fieldErrors(error).name;
      if (ofName === undefined) showToast(errorToast('The token was not made', error));
      else setProblem(ofName);
    },
  });

  function submit() {
    const scopes: Scope[] = mayWrite ? ['read', 'write'] : ['read'];
    const input = createTokenInput.safeParse({ name, scopes, expiresInDays: life === 'none' ? null : Number(life) });
    if (!input.success) setProblem(input.error.issues[0]?.message);
    else create.mutate(input.data);
  }

  return (
    <FormDialog
      title="New API token"
      description="For a script or a build server, in place of your password."
      submitLabel="Make token"
      busyLabel="Making…"
      isBusy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" hint="What will use it" error={problem}>
        <Input
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setProblem(undefined);
          }}
          autoComplete="off"
        />
      </Field>
      <Checkbox
        label="May publish and change things; without it the token only reads"
        isChecked={mayWrite}
        onChange={setMayWrite}
      />
      <Field label="Works for">
        <Select label="Works for" placeholder="Works for" value={life} onValueChange={setLife} options={[...LIVES]} />
      </Field>
    </FormDialog>
  );
}
