import type { NotificationSettings } from '../../../routers/schemas/user.ts';
import { errorToast } from '../../api/errors.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Switch } from '../../components/fields/switch.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { FailedState } from '../../components/page/failed-state.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';

const KINDS: readonly { name: keyof NotificationSettings; label: string; description: string }[] = [
  {
    name: 'releaseFailed',
    label: 'A release failed',
    description: 'What broke, and what is still live.',
  },
  { name: 'releaseLive', label: 'A release is live', description: 'With its address.' },
];

/** Chooses the wanted mails; each switch is saved at once. */
export function NotificationSwitches() {
  const settings = trpc.user.notifications.useQuery();
  const update = trpc.user.updateNotifications.useMutation({
    onError: (error) => void showToast(errorToast('Not saved', error)),
  });
  const failure = shownFailure('Your notifications could not be loaded', settings.error);
  if (failure !== null) return <FailedState failure={failure} question={settings} />;
  if (settings.data === undefined) return <SkeletonRows rows={2} />;
  // The switch shows the press at once; the answer, or the failure, decides.
  const shown = update.isPending ? update.variables : settings.data;
  return (
    <div className="divide-y divide-line">
      {KINDS.map(({ name, label, description }) => (
        <div key={name} className="px-4 py-3.5 sm:px-5">
          <Switch
            label={label}
            description={description}
            isOn={shown[name]}
            onChange={(isOn) => {
              if (!update.isPending) update.mutate({ ...shown, [name]: isOn });
            }}
          />
        </div>
      ))}
    </div>
  );
}
