import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { lazy, Suspense, useEffect, useState } from 'react';
import { FormProvider, type UseFormReturn, useForm, useFormContext } from 'react-hook-form';
import * as z from 'zod/mini';
import { createDeploymentInput, type Deployment } from '../../../../routers/schemas/deployments.ts';
import { optionalDomainNameSchema } from '../../../../routers/schemas/domains.ts';
import { HOSTING_PLATFORMS } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { PreflightInput } from '../../../../routers/schemas/preflight.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { CardBody } from '../../../components/card.tsx';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { Consents } from '../create/consents.tsx';
import { type DestinationFields, destinationOf } from '../create/destination-fields.ts';
import { nameFromFolder, UNNAMED } from '../create/name-from-folder.ts';
import { useOfferedDeployments } from '../manage/use-offered-deployments.ts';
import { sizeOf } from '../select/use-chosen-selection.ts';
import { type PreflightOf, PreflightResult } from './preflight-result.tsx';

/**
 * It has a file of its own already, for the screens that publish; sharing it in another way would make them load more.
 */
const ConnectionChoice = lazy(async () => ({
  default: (await import('../create/connection-choice.tsx')).ConnectionChoice,
}));

export type PreflightFormProps = { report: SelectionReport | null };

/** `domain` is '' for none. */
type PreflightFields = DestinationFields & { name: string; domain: string };
const preflightFields = z.extend(z.omit(createDeploymentInput, { idempotencyKey: true }), {
  domain: optionalDomainNameSchema,
});
/** No id looks like this. */
const NEW = 'new';
const PLACES = ['built-in', ...HOSTING_PLATFORMS] as const;

/** Asks what to deploy where, and shows the result below. */
export function PreflightForm({ report }: PreflightFormProps) {
  const form = useForm<PreflightFields>({
    resolver: standardSchemaResolver(preflightFields),
    defaultValues: { name: UNNAMED, platform: 'built-in', domain: '' },
  });
  useSuggestedName(form, nameFromFolder(report?.selection ?? null) || UNNAMED);
  const { deployments } = useOfferedDeployments();
  const [further, setFurther] = useState<string>(NEW);
  const deployment = deployments.find(({ id }) => id === further);
  // The result belongs to the files at that time.
  const [checked, setChecked] = useState<SelectionReport | null>(null);
  const run = trpc.deployments.preflight.useMutation({
    onError: (error) => {
      if (!applyFieldErrors(error, ['name', 'domain'], form.setError))
        showToast(errorToast('The preflight could not be run', error));
    },
  });
  const files = sizeOf(report);
  const look = (of: PreflightInput) => {
    setChecked(report);
    run.mutate({ ...of, ...(files !== null && { files }) });
  };
  const start = form.handleSubmit(({ name, domain, ...destination }) =>
    look({ name, ...destinationOf(destination), ...(domain !== '' && { domain }) }),
  );
  const submit = useSubmitOnce(run.isPending, () => (deployment ? look({ deploymentId: deployment.id }) : start()));
  return (
    <FormProvider {...form}>
      <CardBody className="border-t border-line">
        <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
          {deployments.length > 0 && (
            <Field label="What to check">
              <Select
                value={deployment?.id ?? NEW}
                onValueChange={setFurther}
                options={[
                  { value: NEW, label: 'A new deployment' },
                  ...deployments.map((one) => ({ value: one.id, label: `A release of ${deploymentLabel(one)}` })),
                ]}
              />
            </Field>
          )}
          {deployment === undefined && (
            <>
              <PreflightFieldset />
              <Consents />
            </>
          )}
          <Button type="submit" variant="primary" className="self-start" isBusy={run.isPending} busyLabel="Running…">
            Run the preflight
          </Button>
        </form>
      </CardBody>
      {run.data !== undefined && (
        <PreflightResult steps={run.data.steps} report={checked} of={resultOf(run.variables, deployments)} />
      )}
    </FormProvider>
  );
}

/** Takes the name of the chosen folder until another is typed. */
function useSuggestedName({ resetField, formState }: UseFormReturn<PreflightFields>, suggested: string): void {
  const isTyped = formState.dirtyFields.name === true;
  useEffect(() => {
    if (!isTyped) resetField('name', { defaultValue: suggested });
  }, [isTyped, suggested, resetField]);
}

function PreflightFieldset() {
  const { register, watch, setValue, formState } = useFormContext<PreflightFields>();
  return (
    <>
      <Field label="Name" error={formState.errors.name?.message}>
        <Input {...register('name')} autoComplete="off" spellCheck={false} />
      </Field>
      <div>
        <Field label="Hosting">
          <Select
            value={watch('platform')}
            onValueChange={(platform) => {
              setValue('platform', platform);
              setValue('connectionId', undefined);
              setValue('targetId', undefined);
              setValue('options', {});
            }}
            options={PLACES.map((id) => ({ value: id, label: PLATFORMS[id].title }))}
          />
        </Field>
        <Suspense>
          <ConnectionChoice />
        </Suspense>
      </div>
      <Field label="Domain of your own (optional)" error={formState.errors.domain?.message}>
        <Input
          {...register('domain')}
          placeholder="example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="url"
          className="font-mono"
        />
      </Field>
    </>
  );
}

function resultOf(asked: PreflightInput, deployments: readonly Deployment[]): PreflightOf {
  if (!('deploymentId' in asked)) return { platform: asked.platform, isFurther: false };
  const deployment = deployments.find(({ id }) => id === asked.deploymentId);
  return { platform: deployment?.platform ?? 'built-in', isFurther: true };
}
