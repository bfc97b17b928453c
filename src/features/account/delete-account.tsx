import { useState } from 'react';
import type { User } from '../../../routers/schemas/user.ts';
import { LinkPlace } from '../../api/link-place.tsx';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';

const DeleteAccountDialog = lazyDialog(async () => (await import('./delete-account-dialog.tsx')).DeleteAccountDialog);

/** Deletes the account, or says where the link is that does. */
export function DeleteAccount({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false);
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  return (
    <Setting
      title="Delete account"
      action={
        <Button variant="danger" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <p>Deletes your deployments, plan and data. This cannot be undone.</p>
      {mailedTo !== null && (
        <p className="wrap-anywhere">
          <LinkPlace to={mailedTo} kind="delete-account" />
        </p>
      )}
      {isAsking && <DeleteAccountDialog user={user} onMailed={setMailedTo} onClose={() => setAsking(false)} />}
    </Setting>
  );
}
