import { useState } from 'react';
import { Field } from '../../../../components/fields/field.tsx';
import { Input } from '../../../../components/fields/input.tsx';
import { FormDialog } from '../../../../components/overlays/form-dialog.tsx';

export type NameDialogProps = {
  /** The path to rename; null for a new file. */
  path: string | null;
  /** The initial name. */
  initial: string;
  /** Returns why a name cannot be used; null when it was. */
  onName: (path: string) => string | null;
  onClose: () => void;
};

/** Asks for the path of a file: for a new one, or as the target of a file or a folder. */
export function NameDialog({ path, initial, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(initial);
  const [error, setError] = useState<string>();
  return (
    <FormDialog
      title={path === null ? 'New file' : `Rename ${path.slice(path.lastIndexOf('/') + 1)}`}
      submitLabel={path === null ? 'Create' : 'Rename'}
      busyLabel="…"
      isBusy={false}
      onSubmit={(event) => {
        event.preventDefault();
        const problem = onName(name.trim());
        if (problem === null) onClose();
        else setError(problem);
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint={
          path === null ? 'A slash makes a folder: css/site.css' : 'To move the file, change the folder in its name.'
        }
        error={error}
      >
        <Input
          name="name"
          value={name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className="font-mono"
          onChange={(event) => {
            setName(event.target.value);
            setError(undefined);
          }}
        />
      </Field>
    </FormDialog>
  );
}
