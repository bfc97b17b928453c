import type { Connection } from '../../routers/schemas/connections.ts';
import { isDnsProvider } from '../../routers/schemas/dns-providers.ts';
import type { AccountContext } from '../context.ts';
import type { ConnectionRow } from '../database/models/connection.ts';
import { DomainModel } from '../database/models/domains/domain.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { siteOf, siteUrlOf } from '../database/site-address.ts';
import { CONNECTION_FIELDS, connectionIdsOf } from './credentials.ts';
import { lostZones } from './dns-connections.ts';

/** The limit for all connections together: an account may have thousands. */
const DOMAINS_SHOWN_MAX = 200;

/** Converts a connection for a person. */
export async function toConnection(ctx: AccountContext, doc: ConnectionRow): Promise<Connection> {
  const [connection] = await toConnections(ctx, [doc]);
  if (connection === undefined) throw new Error('One document gave no connection.');
  return connection;
}

/** Converts connections for a person, each with its users. */
export async function toConnections(
  { actor: { accountId }, providers: { addresses } }: AccountContext,
  docs: readonly ConnectionRow[],
): Promise<Connection[]> {
  const ids = docs.map(({ _id }) => _id);
  const dnsIds = docs.filter(({ provider }) => isDnsProvider(provider)).map(({ _id }) => _id);
  const [users, domains] = await Promise.all([
    ids.length === 0 ? [] : usersOf(accountId, ids),
    dnsIds.length === 0 ? [] : domainsOf(accountId, dnsIds),
  ]);
  return docs.map((doc) => {
    const { provider } = doc;
    const lost = lostZones(doc);
    const common = {
      id: doc._id,
      identity: doc.identity,
      state: doc.state,
      problem: doc.problem ? { message: doc.problem.message, hint: doc.problem.hint ?? null } : null,
      warnings: [...doc.warnings, ...lost.map(({ text }) => text)],
      // A token that is renewed automatically does not expire for the person.
      expiresAt: doc.isRenewable ? null : (doc.expiresAt ?? null),
      testedAt: doc.testedAt,
      createdAt: doc.createdAt,
      deployments: users
        .filter(({ destinations }) => destinations.some((one) => connectionIdsOf(one).includes(doc._id)))
        .map((user) => ({ id: user._id, name: user.name, url: siteUrlOf(addresses, siteOf(user)) })),
    };
    if (!isDnsProvider(provider)) return { ...common, kind: 'platform', provider };
    const held = domains.filter(({ zoneHolder }) => zoneHolder?.connectionId === doc._id);
    const named = held.map(({ _id, name }) => ({ id: _id, name }));
    return { ...common, kind: 'dns', provider, domains: named, lostZones: lost };
  });
}

/** Returns the deployments that publish through these connections, by name. */
async function usersOf(accountId: string, ids: readonly string[]) {
  const named = CONNECTION_FIELDS.map((field) => ({ [`destinations.${field}`]: { $in: ids } }));
  const users = await DeploymentModel.find({ accountId, $or: named }).hint('account_connection').lean();
  return users.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** Returns the domains whose zone these connections hold, by name. */
async function domainsOf(accountId: string, ids: readonly string[]) {
  const domains = await DomainModel.find(
    { accountId, 'zoneHolder.connectionId': { $in: ids } },
    { name: 1, zoneHolder: 1 },
  )
    .hint('account_newest')
    .limit(DOMAINS_SHOWN_MAX)
    .lean();
  return domains.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
