import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { Allowance } from '../../../routers/schemas/subscription.ts';
import { comingText } from '../../lib/coming-text.ts';
import { overCapLabels } from './plan-labels.ts';

/** Returns the text on how to change a read-only deployment, and the label of the button for that. */
export function readOnlyLabels(allowance: Allowance | undefined): { text: string; action: string } {
  if (allowance !== undefined && overCapLabels(allowance) !== null) {
    const { title } = PLANS[allowance.plan];
    return {
      text: `Your other deployments use up the ${title} plan. A larger plan has room for this one.`,
      action: 'See the plans',
    };
  }
  if (allowance?.comingPayment)
    return { text: `${comingText(allowance.comingPayment.plan)}.`, action: 'See the plans' };
  return allowance?.isTrialAvailable === true
    ? { text: 'Start the free trial to publish again.', action: 'See the trial' }
    : { text: 'A plan is needed to publish again.', action: 'See the plans' };
}
