import { Check, Clock } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../../routers/schemas/user.ts';
import { SendConfirmation } from '../../api/send-confirmation.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { formatDate } from '../../lib/format.ts';
import { paths } from '../../lib/paths/paths.ts';
import { ChangeEmailDialog } from './change-email-dialog.tsx';

export function Identity({ user }: { user: User }) {
  const [isChanging, setChanging] = useState(false);
  const { username, email, emailConfirmed, pendingEmail, createdAt } = user;
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
        {pendingEmail === null && !emailConfirmed && <SendConfirmation email={email} className="mt-2 self-start" />}
        {pendingEmail !== null && (
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
            <p>
              <span className="wrap-anywhere">{pendingEmail}</span> is waiting to be confirmed.
            </p>
            <SendConfirmation email={pendingEmail} size="sm" />
          </div>
        )}
      </Setting>
      {isChanging && <ChangeEmailDialog onClose={() => setChanging(false)} />}
    </div>
  );
}
