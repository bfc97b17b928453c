import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { DataProvider } from '../../api/data-provider.tsx';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { Spinner } from '../../components/spinner.tsx';
import { formatDate } from '../../lib/format.ts';
import { href } from '../../lib/paths/paths.ts';
import { LeftPage } from './left-page.tsx';

type LeftCheckoutProps = {
  paymentId: string;
  /** Shown when the account has no such payment. */
  otherwise: ReactNode;
};

/** Shows the result of a checkout that was left, from the server. */
export function LeftCheckout(props: LeftCheckoutProps) {
  return (
    <DataProvider>
      <LeftCheckoutView {...props} />
    </DataProvider>
  );
}

export function LeftCheckoutView({ paymentId, otherwise }: LeftCheckoutProps) {
  const payment = trpc.payments.get.useQuery({ paymentId });
  const checkout = trpc.payments.checkout.useMutation({
    meta: { refresh: false },
    onSuccess: ({ url }) => location.assign(url),
    onError: (error) => showToast(errorToast('The checkout was not opened', error)),
  });
  if (payment.isPending) return <Spinner label="Reading your payment…" />;
  if (payment.data === undefined) return otherwise;
  const { id, plan, state, isProcessing, expiresAt } = payment.data;
  const { title } = PLANS[plan];
  // It was paid after all, perhaps in another tab.
  if (isProcessing || state === 'paid' || state === 'refunded') {
    return <Redirect to={href.subscriptionSuccess(id)} replace />;
  }
  if (state !== 'pending') {
    const why = state === 'failed' ? `The payment for ${title} was declined` : `This checkout for ${title} has ended`;
    return <LeftPage title="Nothing was charged" text={`${why}, and no plan has started.`} />;
  }
  return (
    <LeftPage
      title="Not paid yet"
      text={`No payment for ${title} has arrived. The checkout stays open until ${formatDate(expiresAt)}.`}
    >
      <Button
        variant="primary"
        className="max-sm:w-full"
        isBusy={checkout.isPending}
        busyLabel="Opening…"
        onClick={() => checkout.mutate({ plan })}
      >
        Back to the checkout
      </Button>
    </LeftPage>
  );
}
