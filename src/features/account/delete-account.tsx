import { useState } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { User } from '../../../routers/schemas/user.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { comingText } from '../../lib/coming-text.ts';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';

/** Deletes the account; the consequences for its websites and its plan are shown first. */
export function DeleteAccount({ user }: { user: User }) {
  const [isAsking, setAsking] = useState(false);
  const coming = trpc.subscription.allowance.useQuery().data?.comingPayment;
  const payment = coming ? ` ${comingText(coming.plan)}: deleting the account neither stops nor refunds it.` : '';
  const loss = `${lossText(user)} An active plan ends at once, and its remaining time is lost.${payment}`;
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
      {isAsking && <DeleteAccountDialog user={user} loss={loss} onClose={() => setAsking(false)} />}
    </Setting>
  );
}

function lossText({ deploymentCount }: User): string {
  if (deploymentCount === 0) return 'You have no websites here.';
  const websites = formatCount(deploymentCount, 'deployment');
  const go = deploymentCount === 1 ? 'its website goes' : 'their websites go';
  return `${websites} will be deleted. On the built-in host ${go} offline at once. On other platforms they are taken down too; where a connection no longer works, they stay until you delete them yourself.`;
}
