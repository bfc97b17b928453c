import { Check, ReceiptText } from 'lucide-react';
import { Link } from 'react-router';
import { isActiveStatus } from '../../routers/schemas/active-status.ts';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import { errorMessage } from '../api/errors.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { FactList } from '../components/fact-list.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import type { PlanSituation } from '../features/subscription/plan-situation.ts';
import { usePlan } from '../features/subscription/use-plan.ts';
import { formatDate } from '../lib/format.ts';
import { paths } from '../lib/paths.ts';

/** What the server says of the plan; no receipt is shown, since no payment exists. */
export function PaymentSuccessScreen() {
  const situation = usePlan();
  return (
    <div className="max-w-reading">
      <PageHeader title="Payment success" description="What your account has, as it stands on the server." />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Plan" />
          <PlanNow situation={situation} />
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

function PlanNow({ situation }: { situation: PlanSituation }) {
  if (situation.kind === 'failed') {
    return (
      <ErrorState title="Your plan could not be read" onRetry={situation.retry}>
        {errorMessage(situation.error.cause ?? situation.error)}
      </ErrorState>
    );
  }
  if (situation.kind !== 'known') return <SkeletonRows rows={2} />;
  const { subscription, allowance } = situation;
  if (subscription === null || !isActiveStatus(subscription.status)) {
    return <CardBody>No plan is active any more.</CardBody>;
  }
  const { deploymentLimit, deploymentCount } = allowance;
  const { title } = PLANS[subscription.plan];
  const isTrial = subscription.status === 'trialing';
  return (
    <CardBody>
      <h2 className="mb-4 flex items-center gap-3 text-lg font-semibold">
        <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-good-soft text-good">
          <Check />
        </span>
        {isTrial ? `Your ${title} trial is active` : `Your ${title} plan is active`}
      </h2>
      <FactList
        facts={[
          { name: 'Since', value: formatDate(subscription.startedAt) },
          { name: 'Until', value: formatDate(subscription.endsAt) },
          {
            name: 'Deployments',
            value:
              deploymentLimit === null
                ? `${deploymentCount}, with no limit`
                : `${deploymentCount} of ${deploymentLimit}`,
          },
          { name: 'Renews', value: 'Not by itself' },
        ]}
      />
    </CardBody>
  );
}
