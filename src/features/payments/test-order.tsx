import { useState } from 'react';
import { Link } from 'wouter';
import type { Payment, TestAnswer } from '../../../routers/schemas/payments.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../components/card.tsx';
import { FactList } from '../../components/lists/fact-list.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { href, paths } from '../../lib/paths/paths.ts';
import { orderFacts, startText } from './payment-facts.tsx';

const ANSWERS: readonly { wish: TestAnswer; label: string; busyLabel: string }[] = [
  { wish: 'pay', label: 'Pay', busyLabel: 'Paying…' },
  { wish: 'later', label: 'Pay later', busyLabel: 'Confirming…' },
  { wish: 'decline', label: 'Decline', busyLabel: 'Declining…' },
];

type TestOrderProps = {
  payment: Payment;
  /** The running plan; null without one. */
  subscription: Subscription | null;
};

/** Shows the order, and the four results of a test checkout. */
export function TestOrder({ payment, subscription }: TestOrderProps) {
  const navigate = useNavigate();
  const [given, setGiven] = useState<TestAnswer | null>(null);
  const left = `${paths.subscriptionCancel}?session_id=${encodeURIComponent(payment.id)}`;
  const answer = trpc.payments.answerTest.useMutation({
    onSuccess: ({ state }) =>
      navigate(state === 'failed' ? left : href.subscriptionSuccess(payment.id), { replace: true }),
    onError: (error) => showToast(errorToast('The payment did not go through', error)),
  });

  function give(wish: TestAnswer) {
    setGiven(wish);
    answer.mutate({ paymentId: payment.id, answer: wish });
  }

  const isBusy = (wish: TestAnswer): boolean => answer.isPending && given === wish;
  return (
    <Card aria-labelledby="order-title">
      <CardHeader id="order-title" title="Your order" />
      <CardBody>
        <FactList facts={orderFacts(payment)} />
        <p className="mt-4">{startText(payment.plan, subscription)}</p>
      </CardBody>
      <CardBody className="flex flex-wrap gap-2">
        {ANSWERS.map(({ wish, label, busyLabel }) => (
          <Button
            key={wish}
            variant={wish === 'pay' ? 'primary' : 'secondary'}
            className="max-sm:w-full"
            isBusy={isBusy(wish)}
            busyLabel={busyLabel}
            disabled={answer.isPending && !isBusy(wish)}
            onClick={() => give(wish)}
          >
            {label}
          </Button>
        ))}
        <Button asChild variant="quiet" className="max-sm:w-full">
          <Link to={left}>Go back</Link>
        </Button>
      </CardBody>
      <CardBody className="text-sm text-ink-muted">
        “Pay” simulates a card that is accepted, “Decline” one that is refused, and “Pay later” a transfer that arrives
        after about a minute. “Go back” keeps the checkout open for a day.
      </CardBody>
    </Card>
  );
}
