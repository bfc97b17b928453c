import { INSTALLATION_ID, InstallationModel } from '../models/installation.ts';
import { newId } from '../mongo.ts';

/** Long enough to outlast a pause of the process, short enough that a crash does not hold up the next start. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

export type Lease = {
  /** Throws when the lease was lost: nothing more may be written then. */
  confirm(): Promise<void>;
  release(): Promise<void>;
};

/** Takes the lease on changing the database, by the server's clock; returns null while another process holds it. */
export async function holdLease(): Promise<Lease | null> {
  const holder = newId();
  await InstallationModel.updateOne(
    { _id: INSTALLATION_ID },
    { $setOnInsert: { leaseHolder: null } },
    { upsert: true },
  );
  const isFree = { $or: [{ $eq: ['$leaseHolder', null] }, { $lte: ['$leaseUntil', '$$NOW'] }] };
  if (!(await extend({ _id: INSTALLATION_ID, $expr: isFree }, holder))) return null;

  const own = { _id: INSTALLATION_ID, leaseHolder: holder };
  const renewal = setInterval(() => void extend(own, holder).catch(() => false), RENEW_MS);
  return {
    async confirm() {
      if (!(await extend(own, holder))) throw new Error('The lease on changing the database was lost.');
    },
    async release() {
      clearInterval(renewal);
      await InstallationModel.updateOne(own, { $set: { leaseHolder: null, leaseUntil: null } });
    },
  };
}

async function extend(filter: Record<string, unknown>, holder: string): Promise<boolean> {
  const until = { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: LEASE_MS } };
  const { matchedCount } = await InstallationModel.updateOne(
    filter,
    [{ $set: { leaseHolder: holder, leaseUntil: until } }],
    { updatePipeline: true },
  );
  return matchedCount === 1;
}
