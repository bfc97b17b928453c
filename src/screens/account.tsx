import { useUser } from '../api/user.ts';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { DeleteAccount } from '../features/account/delete-account.tsx';
import { ChangePasswordForm } from '../features/auth/change-password-form.tsx';
import { Identity } from '../features/auth/identity.tsx';
import { SessionList } from '../features/auth/session-list.tsx';
import { PlanSetting } from '../features/subscription/plan-setting.tsx';

export function AccountScreen() {
  const { user } = useUser();
  if (user === null) return null;
  return (
    <div className="max-w-reading">
      <PageHeader title="Account" description="Who you are here, where you are signed in, and your plan." />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Identity" />
          <Identity user={user} />
        </Card>
        <Card>
          <CardHeader title="Plan" />
          <PlanSetting isBetaTester={user.isBetaTester} />
        </Card>
        <Card>
          <CardHeader title="Password" />
          <CardBody>
            <ChangePasswordForm />
          </CardBody>
        </Card>
        <SessionList />
        <Card>
          <DeleteAccount user={user} />
        </Card>
      </div>
    </div>
  );
}
