import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { PLANS } from '../../../../routers/schemas/plan-table.ts';
import type { Allowance } from '../../../../routers/schemas/subscription.ts';

/** Returns a text like `1 of 3 deployments on Standard will be used.` */
export function costText({ plan, deploymentLimit, deploymentCount }: Allowance): string {
  if (deploymentLimit === null) return `Unlimited deployments on ${PLANS[plan].title}.`;
  return `${deploymentCount + 1} of ${formatCount(deploymentLimit, 'deployment')} on ${PLANS[plan].title} will be used.`;
}
