import { lazy, Suspense } from 'react';
import { Spinner } from '../../components/spinner.tsx';
import { LeftPage } from '../../features/payments/left-page.tsx';
import { useAddress } from '../../lib/browser/location.ts';

/** A visitor who opens this address without a checkout needs neither the query nor the code for it. */
const LeftCheckout = lazy(async () => ({
  default: (await import('../../features/payments/left-checkout.tsx')).LeftCheckout,
}));

/** The target of a checkout that was left or declined. Being here proves nothing: the server knows the outcome. */
export function SubscriptionCancelScreen() {
  const { search } = useAddress();
  const paymentId = new URLSearchParams(search).get('session_id');
  const general = (
    <LeftPage
      title="You left the checkout"
      text="Nothing is charged before you pay. What you have paid is listed under Receipts in Account."
    />
  );
  if (paymentId === null) return general;
  return (
    <Suspense fallback={<Spinner label="Reading your payment…" />}>
      <LeftCheckout paymentId={paymentId} otherwise={general} />
    </Suspense>
  );
}
