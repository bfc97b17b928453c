import mongoose from 'mongoose';

const PREFIX = 'fairlead';

/** Returns the name that the database knows a process by; `ownPart` tells it from the one whose name it took over. */
export function applicationName(processName: string | undefined, ownPart: string): string {
  return processName === undefined ? PREFIX : `${PREFIX} ${processName} ${ownPart}`;
}

/**
 * Ends the transactions that dead processes of these names, and their children (`{name}.{number}`), have left open: what these wrote to stays locked until the database gives them up, which it does after
 * `transactionLifetimeLimitSeconds` (a minute by default) and up to half as long again. Returns how many there were.
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
    // The one that it takes; the connection's own is another.
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
