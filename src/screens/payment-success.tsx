import { Check, ReceiptText } from 'lucide-react';
import { Link } from 'wouter';
import { PLANS } from '../../routers/schemas/plan-table.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useSubscription } from '../api/use-subscription.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { FactList } from '../components/lists/fact-list.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { paidText, receiptFacts } from '../features/payments/payment-facts.tsx';
import { usePageTitle } from '../lib/browser/page-title.ts';
import { formatDate } from '../lib/format.ts';
import { href, paths } from '../lib/paths/paths.ts';

/** Shows the plan, and the last payment for one, as the server has them. */
export function PaymentSuccessScreen() {
  // The guard has asked the same: without an answer, or with none that is active, nobody comes here.
  const { data: subscription = null } = useSubscription();
  const isTrial = subscription?.status === 'trialing';
  const title = isTrial ? 'Payment' : 'Payment success';
  usePageTitle(title);
  return (
    <div className="max-w-reading">
      <PageHeader title={title} description={isTrial ? 'A trial needs no payment.' : 'Your current plan.'} />
      <div className="flex flex-col gap-6">
        <Card>
          <CardHeader title="Plan" />
          {subscription === null ? <SkeletonRows rows={2} /> : <ActivePlan subscription={subscription} />}
        </Card>
        {!isTrial && (
          <Card>
            <CardHeader title="Receipt" />
            <LastReceipt />
          </Card>
        )}
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

function LastReceipt() {
  const payments = trpc.payments.list.useQuery();
  if (payments.error !== null) {
    return (
      <FailedState failure={shownFailure('Your receipt could not be loaded', payments.error)} question={payments} />
    );
  }
  if (payments.data === undefined) return <SkeletonRows rows={3} />;
  const last = payments.data.items.find(({ state }) => state === 'paid');
  if (last === undefined) return <EmptyState icon={ReceiptText}>There is no receipt: no payment was taken.</EmptyState>;
  return (
    <CardBody>
      {last.isTest && <p className="mb-4 text-sm text-ink-muted">{paidText(last)}</p>}
      <FactList facts={receiptFacts(last)} />
      <Button asChild className="mt-4">
        <Link to={href.receipt(last.id)}>Open the receipt</Link>
      </Button>
    </CardBody>
  );
}

function ActivePlan({
  subscription: { plan, status, startedAt, endsAt, renews, cancelAtEnd },
}: {
  subscription: Subscription;
}) {
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
          { name: 'Renews', value: renews && !cancelAtEnd ? 'Yes' : 'No' },
        ]}
      />
    </CardBody>
  );
}
