import type { PipelineStage } from 'mongoose';
import type { Addresses } from '../../context.ts';
import { DomainModel, type DomainRow } from '../../database/models/domains/domain.ts';
import { certifiedDomains, domainUrlOf } from '../../database/site-address.ts';

const FIELDS = { deploymentId: 1, servedName: 1, attached: 1, createdAt: 1 } as const;

export type ActiveDomain = Pick<DomainRow, '_id' | keyof typeof FIELDS>;

/** Returns the stage that adds the active domains of these deployments to the rows of another collection. */
export function withActiveDomains(accountId: string, deploymentIds: readonly string[]): PipelineStage.UnionWith {
  const $match = { accountId, deploymentId: { $in: deploymentIds }, state: 'active', lostAt: null };
  return { $unionWith: { coll: DomainModel.collection.name, pipeline: [{ $match }, { $project: FIELDS }] } };
}

/**
 * Returns the addresses that visitors of deployments use, by id: of its active domains the one that was added first, as
 * in a report about a deployment. One without an active domain has none here.
 */
export async function visitUrls(
  addresses: Addresses,
  accountId: string,
  active: readonly ActiveDomain[],
): Promise<ReadonlyMap<string, string>> {
  const latestFirst = active.toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  // Of several, the last one stays.
  const first = [...new Map(latestFirst.map((domain) => [domain.deploymentId, domain])).values()];
  if (first.length === 0) return new Map();
  const certified = await certifiedDomains(accountId, first);
  return new Map(
    first.map(({ _id, deploymentId, servedName, attached }) => {
      const how = { isAtPlatform: Boolean(attached), isCertified: certified.has(_id) };
      return [deploymentId, domainUrlOf(addresses, { name: servedName, ...how })];
    }),
  );
}
