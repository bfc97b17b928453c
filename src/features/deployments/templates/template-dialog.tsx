import { useRef, useState } from 'react';
import { createDeploymentInput } from '../../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { errorToast, fieldErrors } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { FormDialog } from '../../../components/overlays/form-dialog.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { href, paths } from '../../../lib/paths/paths.ts';
import { randomId } from '../../../lib/random-id.ts';
import { type DestinationFields, destinationOf, missingChoice } from '../create/destination-fields.ts';
import { usePlanBlocker } from '../create/use-plan-blocker.ts';
import type { Template } from './templates.ts';

export type TemplateDialogProps = { template: Template; destination: DestinationFields; onClose: () => void };

/**
 * Names a deployment that begins with a template, and leads on to the editor, which holds its files until they are
 * published.
 */
export function TemplateDialog({ template, destination, onClose }: TemplateDialogProps) {
  const navigate = useNavigate();
  const { blocker, allowance } = usePlanBlocker();
  const [name, setName] = useState<string>(template.title);
  const [problem, setProblem] = useState<string>();
  const key = useRef({ name, value: randomId() });
  const create = trpc.deployments.create.useMutation({
    onSuccess: ({ id }) => navigate(`${href.deploymentEditor(id)}?template=${template.id}`),
    onError: (error) => {
      const ofName = fieldErrors(error).name;
      if (ofName === undefined) showToast(errorToast('Could not create the deployment', error));
      else setProblem(ofName);
    },
  });
  // An incomplete destination cannot be published to yet: it can be added later.
  const wanted = missingChoice(destination) === null ? destinationOf(destination) : { platform: 'built-in' as const };

  function submit() {
    if (blocker !== null) return navigate(paths.subscriptionPricing);
    if (key.current.name !== name) key.current = { name, value: randomId() };
    const input = createDeploymentInput.safeParse({ ...wanted, name, idempotencyKey: key.current.value });
    if (input.success) create.mutate(input.data);
    else setProblem(input.error.issues[0]?.message ?? '');
  }

  return (
    <FormDialog
      title={blocker?.title ?? `${template.title} from a template`}
      description={
        blocker?.text ??
        `The editor opens with its HTML pages, ready to edit. Nothing is public until you publish. Hosting: ${PLATFORMS[wanted.platform].title}.`
      }
      submitLabel={blocker?.action ?? 'Open in the editor'}
      busyLabel="Opening…"
      isBusy={create.isPending || allowance === undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onClose={onClose}
    >
      {blocker === null && (
        <Field label="Name" hint="The address is made from the name." error={problem}>
          <Input
            name="name"
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setName(event.target.value);
              setProblem(undefined);
            }}
          />
        </Field>
      )}
    </FormDialog>
  );
}
