import { PAID_PLANS, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan, Plan } from '../../../routers/schemas/plans.ts';
import { Tag } from '../../components/badge.tsx';
import { classNames } from '../../components/class-names.ts';
import { FactList } from '../../components/fact-list.tsx';

export type PlanGridProps = {
  /** The plan that the person has now; `null` for a visitor, `undefined` while nobody knows. */
  ownPlan: Plan | null | undefined;
  isTrial: boolean;
};

export function PlanGrid({ ownPlan, isTrial }: PlanGridProps) {
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
      {planColumns.map((column) => (
        <PlanCard
          key={column.plan}
          column={column}
          ownLabel={column.plan === ownPlan ? (isTrial ? 'Your trial' : 'Your plan') : null}
        />
      ))}
    </ul>
  );
}

function PlanCard({ column, ownLabel }: { column: PlanColumn; ownLabel: string | null }) {
  const { plan, title, price, period, facts } = column;
  return (
    <li
      aria-current={ownLabel === null ? undefined : 'true'}
      className={classNames(
        'flex flex-col rounded-card border bg-surface-raised p-5',
        ownLabel === null ? 'border-line' : 'border-accent',
      )}
    >
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h3 className="font-semibold">{title}</h3>
        {ownLabel !== null && <Tag>{ownLabel}</Tag>}
        {ownLabel === null && plan === 'BETA' && <Tag>Over 90% off</Tag>}
      </div>
      <p className="mt-2 mb-5 flex items-baseline gap-1.5 border-b border-line pb-5">
        <span className="text-2xl font-semibold tabular-nums">{price}</span>
        <span className="text-sm text-ink-muted">{period}</span>
      </p>
      <FactList facts={facts} />
    </li>
  );
}

type PlanColumn = {
  plan: PaidPlan;
  title: string;
  price: string;
  /** What stands beside the price: how often. */
  period: string;
  facts: readonly { name: string; value: string }[];
};

const platforms: Record<PaidPlan, string> = {
  BASIC: 'One at a time',
  STANDARD: 'Any',
  PRO: 'Several at once',
  BETA: 'Several at once',
};

/** The plans beside one another, with what differs between them and nothing that is the same. */
const planColumns: readonly PlanColumn[] = PAID_PLANS.map((plan) => {
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
