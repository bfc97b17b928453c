import { formatCount } from '../../../routers/schemas/format-count.ts';
import { TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { comingText } from '../../lib/coming-text.ts';

/** The obstacle to a new deployment for this person; null when there is none. */
export type PlanBlocker = { title: string; text: string; action: string };

const AFTER_PAYMENT = 'You can publish as soon as your payment has arrived.';

export function planBlocker({
  plan,
  deploymentLimit,
  deploymentCount,
  isTrialAvailable,
  comingPayment,
}: Allowance): PlanBlocker | null {
  if (plan === 'free') {
    if (comingPayment !== null) {
      const text = `${AFTER_PAYMENT} Your files wait for you.`;
      return { title: comingText(comingPayment.plan), text, action: 'See the plans' };
    }
    return isTrialAvailable
      ? {
          title: 'Start the free trial to publish',
          text: `${TRIAL_DAYS} days of Pro, without a card. Your files wait for you.`,
          action: 'See the trial',
        }
      : {
          title: 'No plan is active',
          text:
            deploymentCount === 0
              ? 'The free trial was used. Choose a plan to publish.'
              : 'What is live stays live. Choose a plan to publish again.',
          action: 'See the plans',
        };
  }
  if (deploymentLimit === null || deploymentCount < deploymentLimit) return null;
  return {
    title: capTitle(plan, deploymentLimit),
    // After a smaller plan was chosen, removing one of them does not free a slot yet.
    text: `Choose a larger plan, or delete ${formatCount(deploymentCount - deploymentLimit + 1, 'deployment')} that you no longer need.`,
    action: 'See the plans',
  };
}

function capTitle(plan: Exclude<Allowance['plan'], 'free'>, limit: number): string {
  return `${PLANS[plan].title} allows ${formatCount(limit, 'deployment')}`;
}

/** Returns a text like `3 of 3 deployments used on Standard`. */
export function usageText({ plan, deploymentLimit, deploymentCount, comingPayment }: Allowance): string {
  if (plan === 'free') return comingPayment === null ? 'No plan is active' : AFTER_PAYMENT;
  if (deploymentLimit === null)
    return `${formatCount(deploymentCount, 'deployment')} · unlimited on ${PLANS[plan].title}`;
  return `${deploymentCount} of ${formatCount(deploymentLimit, 'deployment')} used on ${PLANS[plan].title}`;
}

/** Describes the effect of a plan with room for fewer deployments than there are; null when there is room for each. */
export function overCapLabels(allowance: Allowance): { title: string; text: string } | null {
  const { plan, deploymentLimit, writableIds, mayChooseWritable } = allowance;
  if (plan === 'free' || deploymentLimit === null || writableIds === null) return null;
  const choice = mayChooseWritable ? ' You can choose which.' : '';
  return {
    title: capTitle(plan, deploymentLimit),
    text: `The others stay live and are read-only.${choice}`,
  };
}

/**
 * Returns whether a deployment is read-only: all are while no plan is active, and those that a smaller plan has no
 * room for. They stay live.
 */
export function isReadOnly(allowance: Allowance | undefined, deploymentId: string): boolean {
  if (allowance === undefined) return false;
  const { plan, writableIds } = allowance;
  return plan === 'free' || (writableIds !== null && !writableIds.includes(deploymentId));
}
