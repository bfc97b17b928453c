import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { formatCount } from '../../lib/format.ts';

/** What stands between a person and a new deployment; null when nothing does. */
export type PlanBar = { title: string; text: string; action: string };

export function planBar({ plan, deploymentLimit, deploymentCount, isTrialAvailable }: Allowance): PlanBar | null {
  if (plan === 'free') {
    return isTrialAvailable
      ? {
          title: 'Start the free trial to publish',
          text: '14 days of PRO, without a card. A dropped folder waits for you.',
          action: 'Start the trial',
        }
      : {
          title: 'No plan is active',
          text: 'What is live stays live. Choose a plan to publish again.',
          action: 'See the plans',
        };
  }
  if (deploymentLimit === null || deploymentCount < deploymentLimit) return null;
  return {
    title:
      deploymentLimit === 1
        ? `The deployment of ${plan} is used`
        : `All ${deploymentLimit} deployments of ${plan} are used`,
    text: 'Choose a larger plan, or delete a deployment that is no longer needed.',
    action: 'See the plans',
  };
}

/** `3 of 3 deployments used on STANDARD`. */
export function usageText({ plan, deploymentLimit, deploymentCount }: Allowance): string {
  if (plan === 'free') return 'No plan is active';
  if (deploymentLimit === null) return `${formatCount(deploymentCount, 'deployment')} on ${plan}, without a limit`;
  return `${deploymentCount} of ${formatCount(deploymentLimit, 'deployment')} used on ${plan}`;
}

/** `1 of 3 deployments on STANDARD will be used.` */
export function costText({ plan, deploymentLimit, deploymentCount }: Allowance): string {
  if (deploymentLimit === null) return `${plan} has no limit of deployments.`;
  return `${deploymentCount + 1} of ${formatCount(deploymentLimit, 'deployment')} on ${plan} will be used.`;
}

/** Deployments stay live and become read-only when no plan is active (product page, section 4). */
export function isReadOnly(allowance: Allowance | undefined): boolean {
  return allowance?.plan === 'free';
}
