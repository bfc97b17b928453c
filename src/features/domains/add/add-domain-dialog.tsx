import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { FormEvent } from 'react';
import { useForm } from 'react-hook-form';
import { addDomainInput } from '../../../../routers/schemas/domains.ts';
import { trpc } from '../../../api/trpc.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { Notice } from '../../../components/notice.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { useNavigate } from '../../../lib/browser/location.ts';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import { href, paths } from '../../../lib/paths/paths.ts';
import { domainCapText } from '../domain-cap-text.ts';
import type { AddDomainDialogProps } from '../domain-list.tsx';
import { LocalSitesNotice } from '../local-sites-notice.tsx';
import { DomainNameField } from './domain-name-field.tsx';
import { useAddDomain } from './use-add-domain.ts';

/** Asks for the name and the deployment that it points to, then goes on to the domain's own page. */
export function AddDomainDialog({ deployments, onClose }: AddDomainDialogProps) {
  const navigate = useNavigate();
  const { register, handleSubmit, setError, setValue, watch, formState } = useForm({
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
  const { errors } = formState;
  const deploymentId = watch('deploymentId');
  const cap = useDomainCap(deploymentId);
  const chosen = deployments.filter(({ id }) => deploymentId === '' || id === deploymentId);
  const seePlans = (event: FormEvent) => {
    event.preventDefault();
    navigate(paths.subscriptionPricing);
  };
  return (
    <FormDialog
      title="Add a domain"
      description={
        deployments.length === 1
          ? `It will point to ${deployments[0]?.name}. You need a registered domain and a way to change its DNS records.`
          : 'You need a registered domain and a way to change its DNS records.'
      }
      submitLabel={cap === null ? 'Add domain' : 'See the plans'}
      busyLabel="Adding…"
      isBusy={add.isPending}
      onSubmit={cap === null ? handleSubmit((input) => add.mutate(input)) : seePlans}
      onClose={onClose}
    >
      {cap !== null && <CapNotice cap={cap} isOnly={deployments.length === 1} />}
      {cap === null && <DomainNameField {...register('name')} error={errors.name?.message} />}
      {deployments.length > 1 && (
        <Field
          label="Deployment"
          error={errors.deploymentId === undefined ? undefined : 'Choose the deployment that it points to'}
        >
          <Select
            value={deploymentId || undefined}
            onValueChange={(deploymentId) => setValue('deploymentId', deploymentId, { shouldValidate: true })}
            placeholder="Choose a deployment"
            options={deployments.map(({ id, name, slug, url }) => ({
              value: id,
              label: deploymentLabel({ name, slug, url }),
            }))}
            className="w-full"
          />
        </Field>
      )}
      {cap === null && <LocalSitesNotice deployments={chosen} />}
    </FormDialog>
  );
}

function CapNotice({ cap, isOnly }: { cap: string; isOnly: boolean }) {
  return (
    <Notice tone="warn" title={cap}>
      {isOnly ? 'A larger plan has room for another.' : 'Choose another deployment, or a larger plan.'}
    </Notice>
  );
}

/**
 * Returns a sentence when a deployment has all the domains that its plan allows, before a name is typed; null while it
 * has room.
 */
function useDomainCap(deploymentId: string): string | null {
  const { data: allowance } = trpc.subscription.allowance.useQuery();
  const limit = allowance?.customDomains ?? null;
  const own = trpc.domains.list.useQuery({ deploymentId }, { enabled: deploymentId !== '' && limit !== null });
  const count = own.data?.items.filter(({ state }) => state !== 'removing').length ?? 0;
  return limit !== null && count >= limit ? domainCapText(limit) : null;
}
