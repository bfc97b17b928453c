import { ReceiptText } from 'lucide-react';
import { Link } from 'wouter';
import type { License } from '../../../routers/schemas/licenses.ts';
import type { Payment } from '../../../routers/schemas/payments.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { Section } from '../../components/page/section.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { formatDate } from '../../lib/format.ts';
import { href } from '../../lib/paths/paths.ts';
import { formatCents } from '../../lib/prices.ts';
import { kindOf, paidText } from './payment-facts.tsx';
import { PortalButton } from './portal-button.tsx';

/** Lists the sources of the account's plans: payments, each with a receipt, and license keys. */
export function ReceiptList() {
  const payments = trpc.payments.list.useQuery();
  const licenses = trpc.licenses.list.useQuery();
  const rows = rowsOf(payments.data?.items ?? [], licenses.data?.items ?? []);
  const list = payments.error === null && payments.data !== undefined ? licenses : payments;
  return (
    <Section
      title="Receipts"
      count={rows.length === 0 ? undefined : rows.length}
      description="Your payments, and the license keys you redeemed."
      action={payments.data?.hasPortal === true && <PortalButton />}
    >
      <Card>
        <ListStates
          list={list}
          count={rows.length}
          skeleton={<SkeletonRows rows={1} lines={2} />}
          failure={shownFailure('Your receipts could not be loaded', list.error)}
          empty={{ icon: ReceiptText, text: 'No receipts yet. Each payment for a plan has one.', isRow: true }}
        >
          <ul aria-label="Receipts" className="divide-y divide-line">
            {rows.map(({ key, title, text, receipt }) => (
              <li key={key}>
                <Setting
                  title={title}
                  action={
                    receipt !== null && (
                      <Button size="sm" asChild>
                        <Link to={href.receipt(receipt.id)} aria-label={`Receipt of ${title}, ${receipt.on}`}>
                          Receipt
                        </Link>
                      </Button>
                    )
                  }
                >
                  <p className="text-sm">{text}</p>
                </Setting>
              </li>
            ))}
          </ul>
        </ListStates>
      </Card>
    </Section>
  );
}

type Row = { key: string; at: Date; title: string; text: string; receipt: { id: string; on: string } | null };

function rowsOf(payments: readonly Payment[], licenses: readonly License[]): Row[] {
  return [...payments.map(paymentRow), ...licenses.map(licenseRow)].sort(
    (one, other) => other.at.getTime() - one.at.getTime(),
  );
}

function paymentRow(payment: Payment): Row {
  const { id, plan, amountCents, currency, createdAt, paidAt } = payment;
  const at = paidAt ?? createdAt;
  const on = formatDate(at);
  return {
    key: id,
    at,
    title: `${PLANS[plan].title}, ${formatCents(amountCents, currency)}`,
    text: `${kindOf(payment)} on ${on}. ${paidText(payment)}`,
    receipt: paidAt === null ? null : { id, on },
  };
}

function licenseRow({ id, plan, prefix, redeemedAt }: License): Row {
  const text = `License key ${prefix}… redeemed on ${formatDate(redeemedAt)}. Nothing was charged.`;
  return { key: id, at: redeemedAt, title: PLANS[plan].title, text, receipt: null };
}
