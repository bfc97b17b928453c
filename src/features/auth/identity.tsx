import { Check, Clock } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../../routers/schemas/user.ts';
import { errorToast } from '../../api/errors.ts';
import { LinkPlace } from '../../api/link-place.tsx';
import { SendConfirmation, unconfirmedEmail } from '../../api/send-confirmation.tsx';
import { trpc } from '../../api/trpc.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { formatDate } from '../../lib/format.ts';
import { paths } from '../../lib/paths/paths.ts';
import { ChangeEmailDialog } from './change-email-dialog.tsx';

export function Identity({ user }: { user: User }) {
  const [isChanging, setChanging] = useState(false);
  const { username, email, emailConfirmed, pendingEmail, createdAt } = user;
  const unconfirmed = unconfirmedEmail(user);
  return (
    <div className="divide-y divide-line">
      <Setting
        title="Username"
        action={
          <Button asChild>
            <Link to={paths.settings}>Change name</Link>
          </Button>
        }
      >
        <p className="wrap-anywhere">{username}</p>
        <p className="text-sm">Member since {formatDate(createdAt)}</p>
      </Setting>
      <Setting title="Email" action={<Button onClick={() => setChanging(true)}>Change email</Button>}>
        <p className="flex flex-wrap items-center gap-2">
          <span className="wrap-anywhere">{email}</span>
          {emailConfirmed ? (
            <Badge tone="good" icon={Check}>
              Confirmed
            </Badge>
          ) : (
            <Badge tone="warn" icon={Clock}>
              Not confirmed
            </Badge>
          )}
        </p>
        {unconfirmed !== null && (
          <div className="mt-1 text-sm wrap-anywhere">
            {pendingEmail !== null && <p>{pendingEmail} is waiting to be confirmed.</p>}
            <p>
              <LinkPlace to={unconfirmed} />
            </p>
            <div className="mt-2 flex flex-wrap gap-2">
              <SendConfirmation email={unconfirmed} size="sm" />
              {pendingEmail !== null && <KeepEmail email={email} />}
            </div>
          </div>
        )}
      </Setting>
      {isChanging && <ChangeEmailDialog user={user} onClose={() => setChanging(false)} />}
    </div>
  );
}

function KeepEmail({ email }: { email: string }) {
  const withdraw = trpc.auth.withdrawEmailChange.useMutation({
    onSuccess: () => showToast({ title: 'Change withdrawn', description: `Your address stays ${email}.` }),
    onError: (error) => showToast(errorToast('The change was not withdrawn', error)),
  });
  return (
    <Button size="sm" isBusy={withdraw.isPending} busyLabel="Withdrawing…" onClick={() => withdraw.mutate()}>
      Keep the old address
    </Button>
  );
}
