import mongoose from 'mongoose';

const PREFIX = 'fairlead';

/**
 * Returns the name by which the database knows a process; `ownPart` distinguishes it from the process whose name it
 * took over.
 */
export function applicationName(processName: string | undefined, ownPart: string): string {
  return processName === undefined ? PREFIX : `${PREFIX} ${processName} ${ownPart}`;
}

/**
 * Aborts the transactions that dead processes of these names, and their children (`{name}.{number}`), have left open.
 * Their documents would stay locked until the database aborts them, after `transactionLifetimeLimitSeconds` (a minute
 * by default) and up to half as long again. Returns the number of transactions.
 *
 * A user may list and kill its own without a privilege (MongoDB manual, "$currentOp", `allUsers`, and "killSessions").
 */
export async function endTransactionsOf(dead: readonly string[]): Promise<number> {
  const client = mongoose.connection.getClient();
  const admin = client.db('admin');
  const own = client.options.appName;
  const open = admin.aggregate(
    [
      { $currentOp: { allUsers: false, idleSessions: true } },
      { $match: { transaction: { $exists: true }, lsid: { $exists: true } } },
      { $project: { appName: 1, lsid: 1 } },
    ],
    // This is the session of the transaction; the connection's own is another.
    { readConcern: { level: 'local' } },
  );
  const starts = dead.flatMap((name) => [`${PREFIX} ${name} `, `${PREFIX} ${name}.`]);
  const left = (await open.toArray()).filter(
    ({ appName }) =>
      typeof appName === 'string' && appName !== own && starts.some((start) => appName.startsWith(start)),
  );
  if (left.length > 0) await admin.command({ killSessions: left.map(({ lsid }) => ({ id: lsid.id })) });
  return left.length;
}
