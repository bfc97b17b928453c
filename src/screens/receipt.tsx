import { Printer, ReceiptText } from 'lucide-react';
import { Link, useParams } from 'wouter';
import type { Payment } from '../../routers/schemas/payments.ts';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody } from '../components/card.tsx';
import { classNames } from '../components/class-names.ts';
import { FactList } from '../components/lists/fact-list.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { kindOf, paidText, receiptFacts } from '../features/payments/payment-facts.tsx';
import { paths } from '../lib/paths/paths.ts';

/** Shows one payment as the server has it, on a page that prints on one sheet. */
export function ReceiptScreen() {
  const { paymentId = '' } = useParams();
  const payment = trpc.payments.get.useQuery({ paymentId });
  const isPaid = payment.data !== undefined && payment.data.paidAt !== null;
  return (
    <div className="max-w-reading">
      <PageHeader
        title="Receipt"
        description="One payment, with its plan and period."
        actions={
          // On a small screen it has a line of its own, which is there from the start.
          (payment.isPending || isPaid) && (
            <Button
              className={classNames('print:hidden', payment.isPending && 'invisible')}
              onClick={() => window.print()}
            >
              <Printer /> Print
            </Button>
          )
        }
      />
      <Card>
        {payment.error !== null ? (
          <FailedState failure={shownFailure('This receipt could not be loaded', payment.error)} question={payment} />
        ) : payment.data === undefined ? (
          <SkeletonRows rows={4} />
        ) : isPaid ? (
          <Receipt payment={payment.data} />
        ) : (
          <EmptyState icon={ReceiptText}>
            {payment.data.isProcessing
              ? 'Your payment is on its way. The receipt appears here once it has arrived.'
              : 'Nothing has been paid, so there is no receipt.'}
          </EmptyState>
        )}
      </Card>
      {!payment.isPending && (
        <Button asChild className="mt-6 print:hidden">
          <Link to={paths.account}>Back to Account</Link>
        </Button>
      )}
    </div>
  );
}

function Receipt({ payment }: { payment: Payment }) {
  const { user } = useUser();
  // What the title says already is not said again.
  const isPlain = kindOf(payment) === 'Payment';
  return (
    <>
      <CardBody>
        <p className="font-semibold">Fairlead</p>
        <p className="mt-0.5 text-sm text-ink-muted">
          {isPlain ? paidText(payment) : `${kindOf(payment)}. ${paidText(payment)}`}
        </p>
      </CardBody>
      <CardBody>
        <FactList
          facts={[
            ...(user === null ? [] : [{ name: 'For', value: `${user.username}, ${user.email}` }]),
            ...receiptFacts(payment),
          ]}
        />
      </CardBody>
    </>
  );
}
