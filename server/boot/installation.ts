import { UserModel } from '../database/models/account/user.ts';
import { INSTALLATION_ID, InstallationModel } from '../database/models/installation.ts';
import { buildIndexes, declaredIndexes } from '../database/mongo.ts';
import type { Log } from '../lib/log.ts';
import { EXIT_CONFIG, StartError } from '../lib/start-error.ts';
import type { OnShutdown } from './shutdown-stack.ts';

/** Most starts have answered their first page by then. */
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
  let checking: Promise<void> | undefined;
  const timer = setTimeout(() => {
    checking = checkIndexes(log);
  }, checkedAfterMs);
  onShutdown('check of the indexes', async () => {
    clearTimeout(timer);
    await checking;
  });
}

/** An index that cannot be built stops the next start, which builds before it serves. */
async function checkIndexes(log: Log): Promise<void> {
  try {
    await buildIndexes();
  } catch (error) {
    log.error('The indexes of the database cannot be built; the next start waits for them', { error: String(error) });
    await InstallationModel.updateOne({ _id: INSTALLATION_ID }, { $unset: { indexes: 1 } }).catch(() => undefined);
  }
}

/**
 * Returns whether the database holds anything from an earlier start. If so, its keys must be found and never made
 * anew.
 */
export async function hasData(): Promise<boolean> {
  const known = await InstallationModel.findById(INSTALLATION_ID).lean();
  if (known?.keysFingerprint !== null && known?.keysFingerprint !== undefined) return true;
  return (await UserModel.findOne({}, { _id: 1 }).hint({ _id: 1 }).lean()) !== null;
}

/**
 * Records at the first start which keys and which artifact store this database belongs to; later starts compare.
 * Throws StartError when they differ.
 */
export async function claimInstallation(own: { keysFingerprint: string; storeId: string }): Promise<void> {
  let known = await InstallationModel.findById(INSTALLATION_ID).lean();
  // A start that finds both has nothing to write, and so nothing to wait for until it is durable.
  if (!known?.keysFingerprint || !known.storeId) known = await claim(own);
  if (known?.keysFingerprint !== own.keysFingerprint) {
    throw new StartError(
      EXIT_CONFIG,
      'The keys of this Fairlead are not those that the database was created with; put the keys.json from then in place, or set FAIRLEAD_KEYS to the content of that file.',
    );
  }
  if (known.storeId !== own.storeId) {
    throw new StartError(
      EXIT_CONFIG,
      'ARTIFACTS_URL names another file store than the one this database was created with; set it to the original one.',
    );
  }
}

/** Each field is set on its own: the first to write decides, even when two instances start at once. */
async function claim({ keysFingerprint, storeId }: { keysFingerprint: string; storeId: string }) {
  const _id = INSTALLATION_ID;
  await InstallationModel.updateOne({ _id }, { $setOnInsert: { leaseHolder: null } }, { upsert: true });
  await InstallationModel.updateOne({ _id, keysFingerprint: null }, { $set: { keysFingerprint } });
  await InstallationModel.updateOne({ _id, storeId: null }, { $set: { storeId } });
  return InstallationModel.findById(_id).lean();
}
