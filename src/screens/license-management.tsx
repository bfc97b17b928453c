import { KeyRound } from 'lucide-react';
import { useUser } from '../api/user.ts';
import { Card, CardHeader } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PlanSetting } from '../features/subscription/plan-setting.tsx';

/** The plan that the account has, and that no key of it exists. */
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
          <CardHeader title="License keys" count={0} />
          <EmptyState icon={KeyRound}>
            You hold no license keys. Making and redeeming them is not available in this version: a plan starts with the
            trial.
          </EmptyState>
        </Card>
      </div>
    </div>
  );
}
