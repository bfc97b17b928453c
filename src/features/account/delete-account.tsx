import { lazy, Suspense, useState } from 'react';
import type { User } from '../../../routers/schemas/user.ts';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/setting.tsx';
import { formatCount } from '../../lib/format.ts';
import { useWhenIdle } from '../../lib/later.ts';

const loadDialog = async () => ({ default: (await import('./delete-account-dialog.tsx')).DeleteAccountDialog });
const DeleteAccountDialog = lazy(loadDialog);

/** The end of an account; what happens to its websites is said first. */
export function DeleteAccount({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false);
  useWhenIdle(loadDialog);
  const loss = lossText(user);
  return (
    <Setting
      title="Delete account"
      action={
        <Button variant="danger" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <p>{loss} This cannot be undone.</p>
      <Suspense>
        {isAsking && <DeleteAccountDialog user={user} loss={loss} onClose={() => setAsking(false)} />}
      </Suspense>
    </Setting>
  );
}

function lossText({ deploymentCount }: User): string {
  if (deploymentCount === 0) return 'You have no websites here.';
  const websites = formatCount(deploymentCount, 'deployment');
  return `${websites} and everything live on ${deploymentCount === 1 ? 'it goes' : 'them go'} off the air at once.`;
}
