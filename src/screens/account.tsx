import { Link } from 'wouter';
import { useUser } from '../api/user.ts';
import { Card, CardBody } from '../components/card.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Section } from '../components/page/section.tsx';
import { DeleteAccount } from '../features/account/delete-account.tsx';
import { ExportAccount } from '../features/account/export-account.tsx';
import { Identity } from '../features/auth/identity.tsx';
import { ChangePasswordForm } from '../features/auth/password/change-password-form.tsx';
import { SessionList } from '../features/auth/session-list.tsx';
import { ReceiptList } from '../features/payments/receipt-list.tsx';
import { PlanSetting } from '../features/subscription/plan-setting.tsx';
import { paths } from '../lib/paths/paths.ts';

export function AccountScreen() {
  const { user } = useUser();
  if (user === null) return null;
  return (
    <>
      <PageHeader title="Account" description="Your identity, sessions and plan." />
      <div className="flex flex-col gap-6 xl:gap-8">
        <Section title="Identity" description="The name and the address of this account.">
          <Card>
            <Identity user={user} />
          </Card>
        </Section>
        <Section title="Plan" description="What you may publish, and until when.">
          <Card>
            <PlanSetting isBetaTester={user.isBetaTester} />
          </Card>
        </Section>
        <ReceiptList />
        <Section
          title="Password"
          description={
            <>
              <p>Changing it logs out all other browsers.</p>
              <p className="mt-1">
                API tokens keep working. Revoke any you don’t trust in{' '}
                <Link to={paths.settings} className="font-medium text-accent underline underline-offset-4">
                  Settings
                </Link>
                .
              </p>
            </>
          }
        >
          <Card>
            <CardBody>
              <ChangePasswordForm />
            </CardBody>
          </Card>
        </Section>
        <SessionList />
        <Section title="Your data" description="Export or delete everything we store.">
          <Card className="divide-y divide-line">
            <ExportAccount />
            <DeleteAccount user={user} />
          </Card>
        </Section>
      </div>
    </>
  );
}
