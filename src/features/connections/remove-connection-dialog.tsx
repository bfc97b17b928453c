import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import type { Connection } from '../../../routers/schemas/connections.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatAddress } from '../../lib/format.ts';

/** Asks before a credential is forgotten, and names its users. */
export function RemoveConnectionDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { kind, identity, deployments } = connection;
  const domains = connection.kind === 'dns' ? connection.domains : [];
  const title = CONNECTION_TITLES[connection.provider];
  const remove = trpc.connections.remove.useMutation({
    onSuccess() {
      onClose();
      showToast({
        title: 'Connection removed',
        description: `Fairlead has forgotten the ${kind === 'dns' ? 'credentials' : 'token'} for ${title}.`,
      });
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
        kind === 'dns' ? (
          <>
            <p>Your DNS records stay as they are. From then on you change them yourself.</p>
            {domains.length > 0 && (
              <>
                <p className="mt-2">These domains may need this connection to renew their certificates through DNS:</p>
                <Names of={domains} />
              </>
            )}
          </>
        ) : deployments.length === 0 ? (
          <p>No deployment uses it. You can connect {title} again at any time.</p>
        ) : (
          <>
            <p>
              What is live stays live, but without this connection you cannot publish the deployments below or roll them
              back. If you delete one, its files stay at {title}.
            </p>
            <Names of={deployments} />
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

function Names({ of }: { of: readonly { id: string; name: string; url?: string }[] }) {
  return (
    <ul className="mt-2 list-disc pl-5">
      {of.map(({ id, name, url = '' }) => (
        <li key={id} className="wrap-anywhere">
          {url === '' ? name : `${name}, ${formatAddress(url)}`}
        </li>
      ))}
    </ul>
  );
}
