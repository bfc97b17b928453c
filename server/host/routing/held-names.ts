import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { rowsOf } from '../../database/cursor-rows.ts';
import { DomainModel, type DomainRow, type FormerDestination } from '../../database/models/domains/domain.ts';
import type { Log } from '../../lib/log.ts';
import { createNameIndex } from './name-index.ts';

/** A proved domain as the host knows it: its names, and which of them serves. */
export type HeldDomain = { id: string; deploymentId: string; names: readonly string[]; servedName: string };

const FIELDS = { deploymentId: 1, heldNames: 1, servedName: 1, leaving: 1 } as const;
/** Uses the index of held names. */
const HELD = { heldNames: { $gt: '' } } as const;
const BATCH = 500;

async function* readHeld(ids: 'all' | readonly string[]): AsyncGenerator<HeldDomain> {
  const rows = DomainModel.find({ ...(ids !== 'all' && { _id: { $in: [...ids] } }), ...HELD }, FIELDS)
    .setOptions({ acrossAccounts: 'host' })
    .lean()
    .cursor({ batchSize: BATCH });
  for await (const row of rowsOf(rows)) yield toHeld(row);
}

type HeldRow = Pick<DomainRow, '_id' | 'deploymentId' | 'heldNames' | 'servedName'> & {
  leaving?: readonly Pick<FormerDestination, 'deploymentId' | 'platform'>[];
};

/** A domain that moves away from here is served until its records lead to the new destination. */
function toHeld({ _id, deploymentId, heldNames, servedName, leaving = [] }: HeldRow): HeldDomain {
  const left = leaving.find(({ platform }) => PLATFORMS[platform].isServedHere === true);
  return { id: _id, deploymentId: left?.deploymentId ?? deploymentId, names: [...heldNames], servedName };
}

/** Holds the proved names of all domains in memory, with the loop that reads them. */
export function createHeldNames(log: Log, onChanged: () => void) {
  const index = createNameIndex<HeldDomain>(log, { read: readHeld, onChanged });
  return {
    ...index,
    /** Asks the database for the deployment of a name that memory does not know; null when nobody holds it. */
    async findDeploymentId(name: string): Promise<string | null> {
      const found = await DomainModel.findOne({ heldNames: name }, FIELDS)
        .setOptions({ acrossAccounts: 'host' })
        .lean();
      if (found === null) return null;
      await index.refresh([found._id]);
      return index.byName(name)?.deploymentId ?? null;
    },
  };
}
