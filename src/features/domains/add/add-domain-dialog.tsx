import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm } from 'react-hook-form';
import { addDomainInput } from '../../../../routers/schemas/domains.ts';
import { Field } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { Select } from '../../../components/select.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import { useNavigate } from '../../../lib/location.ts';
import { href } from '../../../lib/paths.ts';
import type { AddDomainDialogProps } from '../domain-list.tsx';
import { DomainNameField } from './domain-name-field.tsx';
import { useAddDomain } from './use-add-domain.ts';

/** Asks for the name and the deployment that it points to, then goes on to the domain's own page. */
export function AddDomainDialog({ deployments, onClose }: AddDomainDialogProps) {
  const navigate = useNavigate();
  const {
    register,
    handleSubmit,
    setError,
    setValue,
    watch,
    formState: { errors },
  } = useForm({
    resolver: standardSchemaResolver(addDomainInput),
    defaultValues: { deploymentId: deployments.length === 1 ? (deployments[0]?.id ?? '') : '', name: '' },
  });
  const add = useAddDomain({
    setError,
    onAdded: ({ id }) => {
      onClose();
      navigate(href.domain(id));
    },
  });
  return (
    <FormDialog
      title="Add a domain"
      description={
        deployments.length === 1
          ? `It will point to ${deployments[0]?.name}. You need a registered domain and a way to change its DNS records.`
          : 'You need a registered domain and a way to change its DNS records.'
      }
      submitLabel="Add domain"
      busyLabel="Adding…"
      isBusy={add.isPending}
      onSubmit={handleSubmit((input) => add.mutate(input))}
      onClose={onClose}
    >
      <DomainNameField {...register('name')} error={errors.name?.message} />
      {deployments.length > 1 && (
        <Field
          label="Deployment"
          error={errors.deploymentId === undefined ? undefined : 'Choose the deployment that it points to'}
        >
          <Select
            value={watch('deploymentId') || undefined}
            onValueChange={(deploymentId) => setValue('deploymentId', deploymentId, { shouldValidate: true })}
            placeholder="Choose a deployment"
            options={deployments.map(({ id, name, slug }) => ({ value: id, label: deploymentLabel({ name, slug }) }))}
            className="w-full"
          />
        </Field>
      )}
    </FormDialog>
  );
}
