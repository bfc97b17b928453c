import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { addDomainInput } from '../../../../routers/schemas/domains.ts';
import { Button } from '../../../components/button.tsx';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { DomainNameField } from './domain-name-field.tsx';
import { useAddDomain } from './use-add-domain.ts';
import { useDomainNameCheck } from './use-domain-name-check.ts';

/** `name` is an earlier one that could not be added. */
export type AddDomainFormProps = { deploymentId: string; name?: string };

/** Asks for the domain of a deployment in the flow of a page, which shows it as soon as it exists. */
export function AddDomainForm({ deploymentId, name = '' }: AddDomainFormProps) {
  const { register, handleSubmit, setError, watch, formState } = useForm({
    resolver: standardSchemaResolver(addDomainInput),
    defaultValues: { deploymentId, name },
  });
  const add = useAddDomain({ setError, onAdded: () => {} });
  const submit = useSubmitOnce(
    add.isPending,
    handleSubmit((input) => add.mutate(input)),
  );
  const known = useDomainNameCheck(watch('name'));
  return (
    <form noValidate className="flex flex-col items-start gap-3" onSubmit={submit}>
      <div className="w-full">
        <DomainNameField
          {...register('name')}
          error={formState.errors.name?.message ?? known?.problem ?? undefined}
          hint={
            known !== undefined && known.counterpart !== null ? `${known.counterpart} is added with it.` : undefined
          }
        />
      </div>
      <Button type="submit" isBusy={add.isPending} busyLabel="Adding…">
        Add domain
      </Button>
    </form>
  );
}
