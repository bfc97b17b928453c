import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { lazy, Suspense, useState } from 'react';
import { FormProvider, useForm, useFormContext } from 'react-hook-form';
import * as z from 'zod/mini';
import { createDeploymentInput } from '../../../../routers/schemas/deployments.ts';
import { optionalDomainNameSchema } from '../../../../routers/schemas/domains.ts';
import { HOSTING_PLATFORMS } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { applyFieldErrors, errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { CardBody } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { Input } from '../../../components/input.tsx';
import { Select } from '../../../components/select.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { useSubmitOnce } from '../../../components/use-submit-once.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { Consents } from '../create/consents.tsx';
import { type DestinationFields, destinationOf } from '../create/destination-fields.ts';
import { PreflightResult } from './preflight-result.tsx';

/** A file of its own already, for the screens that publish: shared in no other way, so that none of them loads more. */
const ConnectionChoice = lazy(async () => ({
  default: (await import('../create/connection-choice.tsx')).ConnectionChoice,
}));

export type PreflightFormProps = { report: SelectionReport | null };

/** `domain` is '' for none. */
type PreflightFields = DestinationFields & { name: string; domain: string };
const preflightFields = z.extend(z.omit(createDeploymentInput, { idempotencyKey: true }), {
  domain: optionalDomainNameSchema,
});
const PLACES = ['built-in', ...HOSTING_PLATFORMS] as const;

/** What would be deployed where, and below it what would become of it. */
export function PreflightForm({ report }: PreflightFormProps) {
  const form = useForm<PreflightFields>({
    resolver: standardSchemaResolver(preflightFields),
    defaultValues: { name: 'My website', platform: 'built-in', domain: '' },
  });
  // What was found belongs to the files that were there then.
  const [checked, setChecked] = useState<SelectionReport | null>(null);
  const run = trpc.deployments.preflight.useMutation({
    onError: (error) => {
      if (!applyFieldErrors(error, ['name', 'domain'], form.setError))
        showToast(errorToast('The preflight could not be run', error));
    },
  });
  const start = form.handleSubmit(({ name, domain, ...destination }) => {
    setChecked(report);
    const files = report?.reading.refusal === null ? sizeOf(report) : null;
    run.mutate({
      name,
      ...destinationOf(destination),
      ...(domain !== '' && { domain }),
      ...(files !== null && { files }),
    });
  });
  const submit = useSubmitOnce(run.isPending, () => start());
  return (
    <FormProvider {...form}>
      <CardBody className="border-t border-line">
        <form noValidate className="flex flex-col gap-4" onSubmit={submit}>
          <PreflightFieldset />
          <Consents />
          <Button
            type="submit"
            variant="primary"
            className="self-start"
            isBusy={run.isPending}
            busyLabel="Looking ahead…"
          >
            Run the preflight
          </Button>
        </form>
      </CardBody>
      {run.data !== undefined && (
        <PreflightResult steps={run.data.steps} report={checked} platform={run.variables.platform} />
      )}
    </FormProvider>
  );
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

function sizeOf({ reading }: SelectionReport): { count: number; totalBytes: number } | null {
  return reading.files.length === 0 ? null : { count: reading.files.length, totalBytes: reading.totalBytes };
}
