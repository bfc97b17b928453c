import { useEffect, useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'react-router';
import { createDeploymentInput, type Deployment, slugFromName } from '../../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/index.ts';
import { applyFieldErrors, errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { HostName } from '../../components/host-name.tsx';
import { Input } from '../../components/input.tsx';
import { showToast } from '../../components/toast-store.ts';
import { paths } from '../../lib/paths.ts';
import { schemaResolver } from '../../lib/schema-resolver.ts';
import { newKey, useDraftName } from './create-draft.ts';
import { costText, planBar } from './plan-words.ts';
import { addressOfSlug } from './sites-address.ts';

export type CreateFormProps = {
  /** What the name is until the person writes another. */
  suggestedName: string;
  platform: PlatformId;
  /** Why nothing can be published: no folder yet, or one that breaks a rule. */
  blockedBecause: string | null;
  onCreated: (deployment: Deployment) => void;
};

/** Name, the address that comes of it, and Publish; or the way to a plan where there is none. */
export function CreateForm({ suggestedName, platform, blockedBecause, onCreated }: CreateFormProps) {
  const allowance = trpc.subscription.allowance.useQuery();
  const { name, setName, forget } = useDraftName(suggestedName);
  const form = useForm({
    resolver: schemaResolver(createDeploymentInput),
    values: { name, platform },
  });
  // One key for one wish: pressing Publish twice makes one deployment, another name makes another.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish is name and platform
  const idempotencyKey = useMemo(newKey, [name, platform]);
  const create = trpc.deployments.create.useMutation({
    onSuccess: (deployment) => {
      forget();
      onCreated(deployment);
    },
    onError: (error) => {
      if (!applyFieldErrors(error, ['name'], form.setError)) showToast(errorToast('Could not publish', error));
    },
  });
  const bar = allowance.data ? planBar(allowance.data) : null;
  const slug = slugFromName(name);

  useEffect(() => {
    if (name !== '') form.clearErrors('name');
  }, [name, form]);

  return (
    <Card className="p-4 sm:p-5">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) =>
          void form.handleSubmit((values) => {
            if (blockedBecause === null && bar === null) create.mutate({ ...values, idempotencyKey });
          })(event)
        }
      >
        <Field
          label="Name"
          error={form.formState.errors.name?.message}
          hint={
            <span className="flex flex-wrap items-baseline gap-x-1">
              {slug === '' ? (name === '' ? 'The address is made of it' : 'An address is made for it') : 'Live at'}
              {slug !== '' && <HostName name={addressOfSlug(slug)} fit="wrap" className="text-xs!" />}
            </span>
          }
        >
          <Input
            name="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
        {bar === null ? (
          <Button
            type="submit"
            variant="primary"
            disabled={blockedBecause !== null || allowance.data === undefined}
            isBusy={create.isPending}
            busyLabel="Publishing…"
          >
            Publish
          </Button>
        ) : (
          <>
            <div>
              <p className="font-medium">{bar.title}</p>
              <p className="mt-0.5 text-sm text-ink-muted">{bar.text}</p>
            </div>
            <Button variant="primary" asChild>
              <Link to={paths.subscriptionPricing}>{bar.action}</Link>
            </Button>
          </>
        )}
        {bar === null && (
          <p className="text-xs text-ink-muted tabular-nums">
            {blockedBecause ?? (allowance.data ? costText(allowance.data) : ' ')}
          </p>
        )}
      </form>
    </Card>
  );
}
