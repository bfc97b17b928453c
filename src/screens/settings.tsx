import { useUser } from '../api/user.ts';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { TokenList } from '../features/tokens/token-list.tsx';
import { Appearance } from '../features/user/appearance.tsx';
import { NotificationSwitches } from '../features/user/notification-switches.tsx';
import { ProfileForm } from '../features/user/profile-form.tsx';

export function SettingsScreen() {
  const { user } = useUser();
  if (user === null) return null;
  return (
    <div className="max-w-reading">
      <PageHeader
        title="Settings"
        description="How you appear, how it looks, what is mailed, and what scripts may do."
      />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Profile" />
          <CardBody>
            <ProfileForm user={user} />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Appearance" />
          <CardBody>
            <Appearance />
          </CardBody>
        </Card>
        <Card>
          <CardHeader title="Notifications" />
          <p className="border-b border-line px-4 py-3 text-ink-muted sm:px-5">
            Which mails go to <span className="wrap-anywhere">{user.email}</span>.
            {!user.emailConfirmed && ' Nothing of these is mailed until the address is confirmed.'}
          </p>
          <NotificationSwitches />
        </Card>
        <TokenList />
      </div>
    </div>
  );
}
