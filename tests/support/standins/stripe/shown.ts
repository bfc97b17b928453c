import { list, make } from './objects.ts';
import { get, type Invoice, type Session, type StripeState, type Subscription } from './state.ts';

/** The answers of the API, made from the stored state. */

export function shownSession(state: StripeState, session: Session, expand: readonly string[]) {
  const { price: _price, coupon: _coupon, ...fields } = session;
  const { invoice, payment_intent: intent } = session;
  return {
    ...fields,
    url: session.status === 'open' ? `https://checkout.stripe.com/c/pay/${session.id}` : null,
    invoice:
      invoice !== null && expand.includes('invoice') ? shownInvoice(state, get(state.invoices, invoice), []) : invoice,
    payment_intent: intent !== null && expand.includes('payment_intent') ? get(state.intents, intent) : intent,
  };
}

export function shownSubscription(state: StripeState, subscription: Subscription, expand: readonly string[]) {
  const { price, start, end, latest_invoice: invoice, ...fields } = subscription;
  const { id } = fields;
  const item = make('subscription_item', {
    id: `si_${id}`,
    price: get(state.prices, price),
    current_period_start: start,
    current_period_end: end,
    subscription: id,
  });
  const isExpanded = expand.some((path) => path.endsWith('latest_invoice'));
  return make('subscription', {
    cancel_at: null,
    ...fields,
    transfer_data: null,
    items: list(`/v1/subscription_items?subscription=${id}`, [item]),
    latest_invoice: isExpanded ? shownInvoice(state, get(state.invoices, invoice), []) : invoice,
  });
}

export function shownInvoice(_state: StripeState, invoice: Invoice, expand: readonly string[]) {
  const { id, customer, subscription, lines, off, tax, billing_reason: reason, status, amount_due: due } = invoice;
  const { intent, created, currency } = invoice;
  const isPaid = status === 'paid';
  const payment = make('invoice_payment', {
    ...{ id: `inpay_${id}`, invoice: id, status: isPaid ? 'paid' : 'open' },
    payment: { type: 'payment_intent', payment_intent: intent },
  });
  return make('invoice', {
    ...{ id, customer, created, status, amount_due: due, amount_paid: isPaid ? due : 0, billing_reason: reason },
    currency,
    lines: list(`/v1/invoices/${id}/lines`, linesOf(id, lines)),
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: null, subscription },
    },
    status_transitions: {
      finalized_at: created,
      marked_uncollectible_at: null,
      paid_at: isPaid ? created : null,
      voided_at: null,
    },
    total_discount_amounts: off === 0 ? [] : [{ amount: off, discount: 'di_1' }],
    total_taxes: tax === 0 ? [] : [taxOf(tax)],
    ...(expand.some((path) => path.endsWith('payments')) && {
      payments: list('/v1/invoice_payments', intent === null ? [] : [payment]),
    }),
  });
}

function taxOf(amount: unknown) {
  return {
    amount,
    tax_behavior: 'exclusive',
    tax_rate_details: null,
    taxability_reason: 'standard_rated',
    taxable_amount: null,
    type: 'tax_rate_details',
  };
}

function linesOf(invoice: string, lines: unknown) {
  if (!Array.isArray(lines)) return [];
  return lines.map(({ amount, product, period }, index) =>
    make('line_item', {
      ...{ id: `il_${index}_${invoice}`, invoice, amount, subtotal: amount, period },
      pricing: { type: 'price_details', price_details: { price: 'price_1', product }, unit_amount_decimal: null },
    }),
  );
}
