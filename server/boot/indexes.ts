import { INSTALLATION_ID, InstallationModel } from '../database/models/installation.ts';
import { buildIndexes, declaredIndexes } from '../database/mongo.ts';
import type { Log } from '../lib/log.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** The first pages are answered by then. */
const CHECKED_AFTER_MS = 1_000;

/**
 * Builds the indexes before anything is served. Where a start with the same ones has done so, they are only checked,
 * soon after the first answers: one that somebody has dropped meanwhile comes back then.
 */
export async function prepareIndexes(
  log: Log,
  onShutdown: OnShutdown,
  checkedAfterMs = CHECKED_AFTER_MS,
): Promise<void> {
  const built = { _id: INSTALLATION_ID, indexes: declaredIndexes() };
  if ((await InstallationModel.exists(built)) === null) {
    await buildIndexes();
    await InstallationModel.updateOne({ _id: built._id }, { $set: { indexes: built.indexes } }, { upsert: true });
    return;
  }
  const checking = setTimeout(() => {
    buildIndexes().catch((error: unknown) => {
      log.warn('The indexes of the database could not be checked; the next start tries again', {
        error: String(error),
      });
    });
  }, checkedAfterMs);
  onShutdown('check of the indexes', async () => clearTimeout(checking));
}
