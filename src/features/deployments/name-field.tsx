import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { AddressHint } from './address-hint.tsx';
import type { NewDeployment } from './use-new-deployment.ts';

/** The name of a deployment that is being made, and the address that comes of it. */
export function NameField({ making }: { making: NewDeployment }) {
  const { name, setName, nameProblem, address } = making;
  return (
    <Field label="Name" error={nameProblem} hint={<AddressHint name={name} check={address} />}>
      <Input
        name="name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </Field>
  );
}
