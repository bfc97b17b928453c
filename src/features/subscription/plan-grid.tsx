import { PAID_PLANS, PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import { Tag } from '../../components/badge.tsx';
import { classNames } from '../../components/class-names.ts';
import { FactList } from '../../components/lists/fact-list.tsx';
import { isBetaOver90PercentOff, priceOf } from '../../lib/prices.ts';
import { type PlanAct, planAct } from './plan-act.ts';
import { PlanButton } from './plan-button.tsx';
import type { PlanSituation } from './plan-situation.ts';

export function PlanGrid({ situation }: { situation: PlanSituation }) {
  const ownPlan = situation.kind === 'known' ? situation.allowance.plan : null;
  const isTrial = situation.kind === 'known' && situation.subscription?.status === 'trialing';
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
      {planColumns.map((column) => (
        <PlanCard
          key={column.plan}
          column={column}
          act={planAct(column.plan, situation)}
          ownLabel={column.plan === ownPlan ? (isTrial ? 'Your trial' : 'Your plan') : null}
        />
      ))}
    </ul>
  );
}

function PlanCard({ column, act, ownLabel }: { column: PlanColumn; act: PlanAct; ownLabel: string | null }) {
  const { plan, title, facts } = column;
  const { amount, period } = priceOf(plan);
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
        {ownLabel === null && plan === 'BETA' && isBetaOver90PercentOff() && <Tag>Over 90% off</Tag>}
      </div>
      <p className="mt-2 mb-5 flex items-baseline gap-1.5 border-b border-line pb-5">
        <span className="text-2xl font-semibold tabular-nums">{amount}</span>
        <span className="text-sm text-ink-muted">{period}</span>
      </p>
      <div className="grow">
        <FactList facts={facts} />
      </div>
      <PlanButton plan={plan} act={act} />
    </li>
  );
}

type PlanColumn = {
  plan: PaidPlan;
  title: string;
  facts: readonly { name: string; value: string }[];
};

const platformTexts = { one: 'One', several: 'Several' } as const;
const analyticsTexts = { 7: '7 days', 30: '30 days', 396: '13 months' } as const;

/** Shows the plans beside one another, with their differences alone. */
const planColumns: readonly PlanColumn[] = PAID_PLANS.map((plan) => {
  const { title, deployments, customDomains, analyticsDays, platforms, diagnostics } = PLANS[plan];
  return {
    plan,
    title,
    facts: [
      { name: 'Deployments', value: cap(deployments) },
      { name: 'Domains per site', value: cap(customDomains) },
      { name: 'Platforms per site', value: platformTexts[platforms] },
      { name: 'Analytics history', value: analyticsTexts[analyticsDays] },
      { name: 'Diagnostics', value: diagnostics === 'all' ? 'All' : 'Basic' },
    ],
  };
});

function cap(limit: number | null): string {
  return limit === null ? 'Unlimited' : String(limit);
}
