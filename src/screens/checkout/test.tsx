import { Link, Redirect, useParams } from 'wouter';
import type { Payment } from '../../../routers/schemas/payments.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { useSubscription } from '../../api/use-subscription.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedState } from '../../components/page/failed-state.tsx';
import { Page } from '../../components/page/page.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { TestOrder } from '../../features/payments/test-order.tsx';
import { href, paths } from '../../lib/paths/paths.ts';
import { isTestCheckout } from '../../lib/prices.ts';

/** Stands in for the page of a payment service while none is set up, and says so. */
export function TestCheckoutScreen() {
  const { paymentId = '' } = useParams();
  const payment = trpc.payments.get.useQuery({ paymentId });
  const { data } = payment;
  const subscription = useSubscription();
  const error = payment.error ?? subscription.error;
  // Paid, or on its way: one page shows what comes next.
  if (data?.state === 'paid' || data?.state === 'refunded' || data?.isProcessing) {
    return <Redirect to={href.subscriptionSuccess(data.id)} replace />;
  }
  const isOpen = data?.state === 'pending' && data.isTest && isTestCheckout();
  if (data !== undefined && !isOpen) return <NotOpenHere payment={data} />;
  return (
    <Page width="reading">
      <h1 className="text-2xl font-semibold">Test checkout</h1>
      <Notice tone="accent" title="No money moves" className="my-6">
        This Fairlead takes no real payments. Choose how the payment turns out: the plan starts as it would with a real
        payment.
      </Notice>
      {data === undefined || subscription.data === undefined ? (
        <Card>
          {error === null ? (
            // What is below it waits (src/layouts/plain.tsx).
            <div data-loading>
              <SkeletonRows rows={3} />
            </div>
          ) : (
            <FailedState
              failure={shownFailure('This checkout could not be loaded', error)}
              question={payment.error === null ? subscription : payment}
            />
          )}
        </Card>
      ) : (
        <TestOrder payment={data} subscription={subscription.data} />
      )}
    </Page>
  );
}

/** Shows a payment that is over or made with money, or one of the test checkout that a payment service has replaced. */
function NotOpenHere({ payment: { isTest, state } }: { payment: Payment }) {
  const open = isTest
    ? 'This payment was begun in the test checkout, which is closed. Nothing was charged.'
    : 'This payment is made on the page of the payment service.';
  return (
    <Page width="reading">
      <h1 className="mb-6 text-2xl font-semibold">Checkout</h1>
      {state === 'pending' ? <CheckoutOver text={open} /> : <CheckoutOver />}
    </Page>
  );
}

function CheckoutOver({ text = 'This checkout has ended. Nothing was charged.' }) {
  return (
    <>
      <p className="mb-6 text-lg text-ink-muted">{text}</p>
      <Button asChild variant="primary" className="max-sm:w-full">
        <Link to={paths.subscriptionPricing}>See the plans</Link>
      </Button>
    </>
  );
}
