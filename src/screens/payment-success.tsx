import { Check, ReceiptText } from 'lucide-react';
import { Link } from 'wouter';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { useSubscription } from '../api/use-subscription.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FactList } from '../components/fact-list.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { formatDate } from '../lib/format.ts';
import { paths } from '../lib/paths.ts';

/** What the server says of the plan; no receipt is shown, since no payment exists. */
export function PaymentSuccessScreen() {
  // The guard has asked the same: without an answer, or with none that is active, nobody comes here.
  const { data: subscription = null } = useSubscription();
  return (
    <div className="max-w-reading">
      <PageHeader title="Payment success" description="What your account has, as it stands on the server." />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Plan" />
          {subscription === null ? <SkeletonRows rows={2} /> : <ActivePlan subscription={subscription} />}
        </Card>
        <Card>
          <CardHeader title="Receipt" />
          <EmptyState icon={ReceiptText}>
            There is no receipt: no payment was taken. Paying by card is not available in this version.
          </EmptyState>
        </Card>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" asChild>
            <Link to={paths.dashboard}>Go to Dashboard</Link>
          </Button>
          <Button asChild>
            <Link to={paths.account}>Account</Link>
          </Button>
        </div>
      </div>
    </div>
  );
}

function ActivePlan({ subscription: { plan, status, startedAt, endsAt } }: { subscription: Subscription }) {
  const { title } = PLANS[plan];
  return (
    <CardBody>
      <h2 className="mb-4 flex items-center gap-3 text-lg font-semibold">
        <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-good-soft text-good">
          <Check />
        </span>
        {status === 'trialing' ? `Your ${title} trial is active` : `Your ${title} plan is active`}
      </h2>
      <FactList
        facts={[
          { name: 'Since', value: formatDate(startedAt) },
          { name: 'Until', value: formatDate(endsAt) },
          { name: 'Renews', value: 'Not by itself' },
        ]}
      />
    </CardBody>
  );
}
