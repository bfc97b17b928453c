import { PAID_PLANS, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';

export type PlanColumn = {
  plan: PaidPlan;
  title: string;
  price: string;
  /** What stands beside the price: how often. */
  period: string;
  facts: readonly { name: string; value: string }[];
};

/** Product page, section 4. */
const platforms: Record<PaidPlan, string> = {
  BASIC: 'One at a time',
  STANDARD: 'Any',
  PRO: 'Several at once',
  BETA: 'Several at once',
};

/** The plans beside one another, with what differs between them and nothing that is the same. */
export const planColumns: readonly PlanColumn[] = PAID_PLANS.map((plan) => {
  const { title, price, deployments, customDomains, analytics, diagnostics } = PLANS[plan];
  const [amount = price, ...period] = price.split(' ');
  return {
    plan,
    title,
    price: amount,
    period: period.join(' '),
    facts: [
      { name: 'Deployments', value: cap(deployments) },
      { name: 'Domains for each', value: cap(customDomains) },
      { name: 'Platforms', value: platforms[plan] },
      { name: 'Analytics kept', value: analytics },
      { name: 'Diagnostics', value: diagnostics === 'all' ? 'All' : 'Basic' },
    ],
  };
});

function cap(limit: number | null): string {
  return limit === null ? 'Unlimited' : String(limit);
}
