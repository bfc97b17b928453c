import type { Deployment } from '../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import type { PaidPlan } from '../../../routers/schemas/plans.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { deploymentLabel } from '../../lib/deployment-label.ts';

/** Further deployments are only counted. */
const NAMED = 5;

/** The most that the server returns at once. */
export const LOOKED_AT = 50;

type Known = {
  deployments: readonly Deployment[];
  /** The account's number of deployments; `deployments` are the newest. */
  count: number;
};

/** Says what a smaller plan lets a person change, with names: the deployments published last, and the others. */
export function ReadOnlyList({ plan, ...known }: Known & { plan: PaidPlan }) {
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5 text-sm text-ink-muted">
      {readOnlyTexts(plan, known).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

export function readOnlyTexts(plan: PaidPlan, { deployments, count }: Known): string[] {
  const { title, deployments: limit } = PLANS[plan];
  const counted = deployments.filter(({ platform, state }) => state !== 'deleting' && !PLATFORMS[platform].isSimulated);
  const all = counted.length + Math.max(0, count - deployments.length);
  if (limit === null || all <= limit) return [`${title} has room for all of your deployments.`, ...domainsTexts(plan)];
  const lastOf = ({ latestRelease, createdAt }: Deployment) => (latestRelease?.createdAt ?? createdAt).getTime();
  const names = [...counted]
    .sort((one, other) => lastOf(other) - lastOf(one))
    .map((one) => `“${deploymentLabel(one)}”`);
  const overCap = all - limit;
  const named = names.slice(limit).slice(0, overCap > NAMED ? NAMED - 1 : NAMED);
  const rest = listed(overCap > named.length ? [...named, `${overCap - named.length} more`] : named);
  const ones = limit === 1 ? 'deployment' : formatCount(limit, 'deployment');
  const become = overCap === 1 ? 'stays live and becomes' : 'stay live and become';
  return [
    `With ${title} you can change the ${ones} that you published last: ${listed(names.slice(0, limit))}. You can choose ${limit === 1 ? 'another' : 'others'} then.`,
    ...domainsTexts(plan),
    `${rest} ${become} read-only.`,
  ];
}

function domainsTexts(plan: PaidPlan): string[] {
  const { customDomains } = PLANS[plan];
  // Exactly the plans without a cap publish on several platforms at once.
  if (customDomains === null) return [];
  const domains = customDomains === 1 ? 'domain' : formatCount(customDomains, 'domain');
  return [
    `There you can publish on the primary platform only, and change the ${domains} that you chose, or added first if you chose none. Everything else stays live as it is.`,
  ];
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}
