import { SentOrKept } from '../api/sent-or-kept.tsx';
import { useUser } from '../api/user.ts';
import { Card, CardBody } from '../components/card.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import { AskedByAddress } from '../features/connections/asked-by-address.tsx';
import { ConnectionList } from '../features/connections/connection-list.tsx';
import { TokenList } from '../features/tokens/token-list.tsx';
import { Appearance } from '../features/user/appearance.tsx';
import { NotificationSwitches } from '../features/user/notification-switches.tsx';
import { PlainHttpWarning } from '../features/user/plain-http-warning.tsx';
import { ProfileForm } from '../features/user/profile-form.tsx';

export function SettingsScreen() {
  const { user } = useUser();
  if (user === null) return null;
  const address = <span className="wrap-anywhere">{user.email}</span>;
  return (
    <>
      <PageHeader title="Settings" description="Profile, appearance, notifications, connections and API tokens." />
      <PlainHttpWarning />
      <div className="flex flex-col gap-6 xl:gap-8">
        <Section title="Profile" description="The name you log in with. Releases show it.">
          <Card>
            <CardBody>
              <ProfileForm user={user} />
            </CardBody>
          </Card>
        </Section>
        <Section title="Appearance" description="Saved in this browser only.">
          <Card>
            <CardBody>
              <Appearance />
            </CardBody>
          </Card>
        </Section>
        <Section
          title="Notifications"
          description={
            <>
              <SentOrKept
                sent={<>What we email to {address}.</>}
                kept={<>This Fairlead does not send email: it keeps these messages to {address} in its outbox.</>}
              />
              {!user.emailConfirmed && <p className="mt-1">They start once you confirm your address.</p>}
            </>
          }
        >
          <Card>
            <NotificationSwitches />
          </Card>
        </Section>
        <ConnectionList kind="platform" />
        <ConnectionList kind="dns" />
        <TokenList />
      </div>
      <AskedByAddress />
    </>
  );
}
