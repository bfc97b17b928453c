import type { LostConnection } from '../../routers/schemas/deployments.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORM_TITLES } from '../../routers/schemas/platforms/titles.ts';
import { ConnectionModel, type ConnectionRow } from '../database/models/connection.ts';
import type { DeploymentRow } from '../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../database/models/publishing/destination.ts';
import { connectionIdsOf, optionOf } from './credentials.ts';

/** The fields of a destination that name its connections. */
export type ConnectedDestination = Pick<DestinationDoc, '_id' | 'platform' | 'connectionId' | 'options'>;
type Publishing = { state: DeploymentRow['state']; destinations: readonly ConnectedDestination[] };
type Connections = ReadonlyMap<string, Pick<ConnectionRow, 'state' | 'problem'>>;

/**
 * Returns the account's connections that these deployments publish through, with one query, or none if they use none.
 */
export async function connectionsOfAll(accountId: string, deployments: readonly Publishing[]): Promise<Connections> {
  const ids = deployments.flatMap(({ destinations }) => destinations.flatMap(connectionIdsOf));
  if (ids.length === 0) return new Map();
  const connections = await ConnectionModel.find(
    { accountId, _id: { $in: [...new Set(ids)] } },
    { state: 1, problem: 1 },
  ).lean();
  return new Map(connections.map((connection) => [connection._id, connection]));
}

/** Returns the connections that a deployment needs and has lost; one that is being deleted needs none. */
export function lostConnections({ state, destinations }: Publishing, known: Connections): LostConnection[] {
  if (state === 'deleting') return [];
  return destinations.flatMap((destination) =>
    neededBy(destination).flatMap(({ provider, id }): LostConnection[] => {
      const connection = known.get(id);
      if (connection?.state === 'ok') return [];
      const title = PLATFORM_TITLES[provider];
      const lost = { destinationId: destination._id, provider };
      if (connection === undefined) {
        const message = `The connection to ${title} that publishes this deployment was removed.`;
        return [{ ...lost, connectionId: null, message }];
      }
      return [{ ...lost, connectionId: id, message: connection.problem?.message ?? `${title} refuses the token.` }];
    }),
  );
}

function neededBy({ platform, connectionId, options }: ConnectedDestination) {
  const { requires = [], furtherConnections = [] } = PLATFORM_CAPABILITIES[platform] ?? {};
  const named = [
    ...(requires.includes('connection') ? [{ provider: platform, id: connectionId }] : []),
    ...furtherConnections.map(({ provider, option }) => ({ provider, id: optionOf(options, option) })),
  ];
  return named.map(({ provider, id }) => ({ provider, id: typeof id === 'string' ? id : '' }));
}
