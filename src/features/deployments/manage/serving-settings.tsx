import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { errorToast } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card, CardHeader } from '../../../components/card.tsx';
import { Switch } from '../../../components/fields/switch.tsx';
import { showToast } from '../../../components/overlays/toast-store.ts';

type Option = 'isSinglePage' | 'hasCleanUrls';

const OPTIONS: readonly { name: Option; label: string; description: string }[] = [
  {
    name: 'hasCleanUrls',
    label: 'Addresses without .html',
    description: 'A page about.html also opens at /about.',
  },
  {
    name: 'isSinglePage',
    label: 'Single-page app',
    description:
      'Unknown addresses open your start page instead of “not found”. For sites made with React, Vue and the like, whose pages exist in the browser only.',
  },
];

export type ServingSettingsProps = { deployment: Deployment; isDisabled: boolean };

/** Changes how the host treats addresses without a file of that name; each takes effect at once, without a release. */
export function ServingSettings({ deployment, isDisabled }: ServingSettingsProps) {
  const update = trpc.deployments.update.useMutation({
    onSuccess: (after, sent) => {
      const changed = OPTIONS.find(({ name }) => sent[name] !== undefined);
      if (changed !== undefined) {
        showToast({ title: after[changed.name] ? `Turned on: ${changed.label}` : `Turned off: ${changed.label}` });
      }
    },
    onError: (error) => void showToast(errorToast('Could not change how the site is served', error)),
  });
  // The switch shows the press at once; the answer, or the failure, decides.
  const shown = update.isPending ? { ...deployment, ...update.variables } : deployment;
  return (
    <Card className="max-w-reading">
      <CardHeader title="How the site is served" />
      <div className="divide-y divide-line">
        {OPTIONS.map(({ name, label, description }) => (
          <div key={name} className="p-4 sm:px-5">
            <Switch
              label={label}
              description={description}
              isOn={shown[name] ?? deployment[name]}
              isDisabled={isDisabled}
              onChange={(isOn) => {
                if (!update.isPending) update.mutate({ deploymentId: deployment.id, [name]: isOn });
              }}
            />
          </div>
        ))}
      </div>
      <p className="border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
        A change takes effect at once, for the release that is live and for every one after it.
      </p>
    </Card>
  );
}
