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
 * Describes what a smaller plan lets a person change, with names: the deployments published last, and which become
 * read-only. `start` begins the sentence with the time: `From Feb 1, 2030,`.
 */
export function readOnlyText(plan: PaidPlan, known: Known, start: string): string {
  return [deploymentsText(plan, known, start), domainsText(plan)].join(' ').trim();
}

function domainsText(plan: PaidPlan): string {
  const { customDomains } = PLANS[plan];
  // Exactly the plans without a cap publish on several platforms at once.
  if (customDomains === null) return '';
  const domains = customDomains === 1 ? 'domain' : formatCount(customDomains, 'domain');
  return `In each deployment that you can change, you can change the ${domains} chosen or added first and publish on the primary platform. Its other domains and platforms stay live as they are.`;
}

function deploymentsText(plan: PaidPlan, { deployments, count }: Known, start: string): string {
  const { title, deployments: limit } = PLANS[plan];
  const counted = deployments.filter(({ platform, state }) => state !== 'deleting' && !PLATFORMS[platform].isSimulated);
  const all = counted.length + Math.max(0, count - deployments.length);
  if (limit === null || all <= limit) return `${title} has room for all of your deployments.`;
  const lastOf = ({ latestRelease, createdAt }: Deployment) => (latestRelease?.createdAt ?? createdAt).getTime();
  const names = [...counted]
    .sort((one, other) => lastOf(other) - lastOf(one))
    .map((one) => `“${deploymentLabel(one)}”`);
  const overCap = all - limit;
  const named = names.slice(limit).slice(0, overCap > NAMED ? NAMED - 1 : NAMED);
  const rest = listed(overCap > named.length ? [...named, `${overCap - named.length} more`] : named);
  const become = overCap === 1 ? 'stays live and becomes' : 'stay live and become';
  return `${start} ${title} lets you change ${formatCount(limit, 'deployment')}: ${listed(names.slice(0, limit))}, published last. ${rest} ${become} read-only. You can choose others then.`;
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en').format(names);
}
