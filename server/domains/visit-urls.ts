import type { Addresses } from '../context.ts';
import { DomainModel } from '../database/models/domains/domain.ts';
import { domainUrlOf } from '../database/site-address.ts';
import { certifiedDomains } from './certificates/read.ts';

/**
 * Returns the addresses that visitors of these deployments use, by id: the active domain that was added first, as in
 * a report about a deployment. One without an active domain has none here.
 */
export async function visitUrls(
  addresses: Addresses,
  accountId: string,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const active = await DomainModel.find(
    { accountId, deploymentId: { $in: deploymentIds }, state: 'active', lostAt: null },
    { deploymentId: 1, servedName: 1, attached: 1, createdAt: 1 },
  )
    .hint('account_deployment')
    .lean();
  active.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  // Of several, the last one stays.
  const first = [...new Map(active.map((domain) => [domain.deploymentId, domain])).values()];
  if (first.length === 0) return new Map();
  const certified = await certifiedDomains(accountId, first);
  return new Map(
    first.map(({ _id, deploymentId, servedName, attached }) => {
      const how = { isAtPlatform: Boolean(attached), isCertified: certified.has(_id) };
      return [deploymentId, domainUrlOf(addresses, { name: servedName, ...how })];
    }),
  );
}
