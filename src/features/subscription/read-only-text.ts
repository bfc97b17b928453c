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

/**
 * Describes the loss on a smaller plan: how many deployments become read-only, with the names of those published the
 * longest ago (the person may choose others), and then what else it has less of. `when` is `then`, or nothing when it
 * begins at once.
 */
export function readOnlyText(plan: PaidPlan, known: Known, when: 'then ' | '' = ''): string {
  return [deploymentsText(plan, known, when), domainsText(plan)].join(' ').trim();
}

function domainsText(plan: PaidPlan): string {
  const { title, customDomains } = PLANS[plan];
  // Exactly the plans without a cap publish on several platforms at once.
  if (customDomains === null) return '';
  return `${title} has ${formatCount(customDomains, 'domain')} for each deployment and one platform at a time. Anything beyond that stays live, but cannot be changed.`;
}

function deploymentsText(plan: PaidPlan, { deployments, count }: Known, when: 'then ' | ''): string {
  const { title, deployments: limit } = PLANS[plan];
  const counted = deployments.filter(({ platform, state }) => state !== 'deleting' && !PLATFORMS[platform].isSimulated);
  const all = counted.length + Math.max(0, count - deployments.length);
  if (limit === null || all <= limit) return `${title} has room for all of your deployments.`;
  const lastOf = ({ latestRelease, createdAt }: Deployment) => (latestRelease?.createdAt ?? createdAt).getTime();
  const rest = [...counted].sort((one, other) => lastOf(other) - lastOf(one)).slice(limit);
  const overCap = all - limit;
  const named = rest.slice(0, overCap > NAMED ? NAMED - 1 : NAMED).map(deploymentLabel);
  const names = new Intl.ListFormat('en').format(
    overCap > named.length ? [...named, `${overCap - named.length} more`] : named,
  );
  const become = overCap === 1 ? 'stays live and becomes' : 'stay live and become';
  const choice = when === '' ? 'You can choose others after that.' : `Once ${title} has begun you can choose others.`;
  return `${title} allows ${formatCount(limit, 'deployment')}, and you have ${all}. ${names} ${when}${become} read-only. ${choice}`;
}
