import type { Connection } from '../../../routers/schemas/connections.ts';
import { HOSTING_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { showToast } from '../../components/toast-store.ts';

/** Asks before a credential is forgotten, and names the deployments that cannot be published without it. */
export function RemoveConnectionDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { identity, deployments } = connection;
  const title = HOSTING_TITLES[connection.provider];
  const remove = trpc.connections.remove.useMutation({
    onSuccess() {
      onClose();
      showToast({ title: 'Connection removed', description: `Fairlead has forgotten the token for ${title}.` });
    },
    onError(error) {
      onClose();
      showToast(errorToast('The connection was not removed', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Remove ${title} · ${identity}?`}
      description={
        deployments.length === 0 ? (
          <p>No deployment uses it. You can connect {title} again at any time.</p>
        ) : (
          <>
            <p>These deployments stay live but cannot be published, rolled back or deleted at {title} without it:</p>
            <ul className="mt-2 list-disc pl-5">
              {deployments.map(({ id, name }) => (
                <li key={id} className="wrap-anywhere">
                  {name}
                </li>
              ))}
            </ul>
          </>
        )
      }
      confirmLabel="Remove"
      busyLabel="Removing…"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ connectionId: connection.id })}
    />
  );
}
