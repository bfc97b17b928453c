import { isActiveStatus } from '../../../routers/schemas/active-status.ts';
import { isAbove, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import type { Subscription } from '../../../routers/schemas/subscription.ts';
import { formatDate } from '../../lib/format.ts';
import { isTestCheckout } from '../../lib/prices.ts';
import { trialEndText } from '../../lib/trial-end.ts';
import { endLabel, renewalOf } from './plan-end.ts';
import type { PlanSituation } from './plan-situation.ts';

export type PlanAct =
  | { kind: 'wait' | 'register'; label: string }
  /** The reason says what becomes of a running trial; null without one. */
  | { kind: 'checkout'; label: string; reason: string | null }
  /** The plan has room for fewer deployments than there are: the person learns it before the checkout. */
  | { kind: 'fewer'; label: string; reason: string | null; count: number }
  /** A smaller plan, for the time after this period. */
  | { kind: 'later'; label: string; reason: string; subscription: Subscription }
  | { kind: 'none'; label: string; reason: string | null };

/** The label of the plan that runs, while there is nothing to choose. */
const OWN = 'Your plan';

/**
 * Returns the act of a plan's button in the person's situation; the server enforces the same rule
 * (services/subscription/grant.ts).
 */
export function planAct(plan: PaidPlan, situation: PlanSituation): PlanAct {
  const { title, deployments: limit } = PLANS[plan];
  const choose = `Choose ${title}`;
  if (situation.kind === 'visitor') return { kind: 'register', label: choose };
  if (situation.kind !== 'known') return { kind: 'wait', label: choose };
  const { subscription, allowance } = situation;
  const { deploymentCount: count, comingPayment } = allowance;
  if (comingPayment !== null) {
    if (subscription?.status === 'active' && plan === subscription.plan) {
      return { kind: 'none', label: OWN, reason: endLabel(subscription) };
    }
    return { kind: 'none', label: choose, reason: 'Available once your payment has arrived.' };
  }
  if (subscription === null || subscription.status === 'trialing' || !isActiveStatus(subscription.status)) {
    const reason = trialEndText(plan, subscription);
    return limit !== null && count > limit
      ? { kind: 'fewer', label: choose, reason, count }
      : { kind: 'checkout', label: choose, reason };
  }
  if (isAbove(plan, allowance.plan)) return upgrade(plan, subscription);
  if (plan === subscription.plan && plan !== 'BETA' && !subscription.renews) {
    return { kind: 'checkout', label: 'Add a month', reason: null };
  }
  return notNow(plan, subscription);
}

function upgrade(plan: PaidPlan, { plan: running, cancelAtEnd, nextPlan }: Subscription): PlanAct {
  const label = `Upgrade to ${PLANS[plan].title}`;
  const { title } = PLANS[running];
  const ends = cancelAtEnd ? `${title} is cancelled` : nextPlan && `${PLANS[nextPlan].title} is chosen for later`;
  // A payment service would end the larger plan as well, or credit the smaller one. Beta, which is paid once, is no
  // change of its subscription.
  if (!ends || plan === 'BETA' || isTestCheckout()) return { kind: 'checkout', label, reason: null };
  return { kind: 'none', label, reason: `${ends}. To upgrade, first choose “Keep ${title}” in Account.` };
}

function notNow(plan: PaidPlan, subscription: Subscription): PlanAct {
  const { plan: running, renews, cancelAtEnd, nextPlan, endsAt } = subscription;
  const renewal = formatDate(renewalOf(subscription));
  const { title } = PLANS[plan];
  const label = plan === running ? OWN : `Choose ${title}`;
  const end = formatDate(endsAt);
  if (plan === running && renews) {
    // When it renews is said above all plans.
    if (!cancelAtEnd && nextPlan === null) return { kind: 'none', label, reason: null };
    return {
      kind: 'none',
      label,
      reason: `${endLabel(subscription) ?? ''} To keep it, choose “Keep ${title}” in Account.`,
    };
  }
  if (plan === running)
    return { kind: 'none', label, reason: `You have ${title} until ${end}. You can buy it again after that.` };
  if (plan === nextPlan) return { kind: 'none', label, reason: `${title} begins on ${renewal}.` };
  if (renews && isAbove(running, plan)) {
    return { kind: 'later', label, reason: `It starts on ${renewal}, when your paid period ends.`, subscription };
  }
  const includes = isAbove(running, plan) ? `includes all of ${title}` : `allows the same as ${title}`;
  return { kind: 'none', label, reason: `Your ${PLANS[running].title} plan ${includes} and runs until ${end}.` };
}
