import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/index.ts';
import { errorToast, fieldErrors } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { showToast } from '../../components/toast-store.ts';
import { useWhenIdle } from '../../lib/later.ts';
import { paths } from '../../lib/paths.ts';
import { AddressHint, useNameCheck } from './address-hint.tsx';
import { newKey, useDraftName } from './create-draft.ts';
import { useEntryQuestion } from './entry-question.tsx';
import type { FolderReport } from './folder-report.ts';
import { costText, planBar } from './plan-words.ts';

const loadSchema = async () => (await import('../../../routers/schemas/deployments.ts')).createDeploymentInput;

export type CreateFormProps = {
  /** What the name is until the person writes another. */
  suggestedName: string;
  platform: PlatformId;
  /** What is published; null until it was read. */
  report: FolderReport | null;
  /** Why nothing can be published: no folder yet, or one that breaks a rule. */
  blockedBecause: string | null;
  onCreated: (deployment: Deployment) => void;
};

/** Name, the address that comes of it, and Publish; or the way to a plan where there is none. */
export function CreateForm({ suggestedName, platform, report, blockedBecause, onCreated }: CreateFormProps) {
  const allowance = trpc.subscription.allowance.useQuery();
  const { name, setName, forget } = useDraftName(suggestedName);
  const [refusal, setRefusal] = useState<{ name: string; message: string } | null>(null);
  useWhenIdle(loadSchema);
  // One key for one wish: pressing Publish twice makes one deployment, another name makes another.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish is name and platform
  const idempotencyKey = useMemo(newKey, [name, platform]);
  const create = trpc.deployments.create.useMutation({
    onSuccess: (deployment) => {
      forget();
      onCreated(deployment);
    },
    onError: (error) => {
      const message = fieldErrors(error).name;
      if (message === undefined) showToast(errorToast('Could not publish', error));
      else setRefusal({ name, message });
    },
  });
  const bar = allowance.data ? planBar(allowance.data) : null;
  const check = useNameCheck(name, create.isPending || create.isSuccess);
  const { ask, question } = useEntryQuestion(report);

  /** By the rule that the server has as well; it stands until the name is another. */
  async function submit() {
    const schema = await loadSchema();
    const input = schema.safeParse({ name, platform });
    if (!input.success) setRefusal({ name, message: input.error.issues[0]?.message ?? '' });
    else if (blockedBecause === null && bar === null) ask(() => create.mutate({ ...input.data, idempotencyKey }));
  }

  return (
    <Card className="p-4 sm:p-5">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit().catch((cause: unknown) => showToast(errorToast('Could not publish', cause)));
        }}
      >
        <Field
          label="Name"
          error={refusal?.name === name ? refusal.message : undefined}
          hint={<AddressHint name={name} check={check} />}
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
      {question}
    </Card>
  );
}
