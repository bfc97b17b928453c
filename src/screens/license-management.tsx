import { useUser } from '../api/user.ts';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { LicenseList } from '../features/licenses/license-list.tsx';
import { RedeemForm } from '../features/licenses/redeem-form.tsx';
import { PlanSetting } from '../features/subscription/plan-setting.tsx';

/** Shows the account's plan, the license keys behind it, and the way to redeem another. */
export function LicenseManagementScreen() {
  const { user } = useUser();
  if (user === null) return null;
  return (
    <div className="max-w-reading">
      <PageHeader title="License Management" description="What your plan allows, and the license keys behind it." />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Plan" />
          <PlanSetting isBetaTester={user.isBetaTester} />
        </Card>
        <Card>
          <CardHeader title="Redeem a key" />
          <CardBody>
            <RedeemForm />
          </CardBody>
        </Card>
        <LicenseList />
      </div>
    </div>
  );
}
