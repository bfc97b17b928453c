import type { ClientSession } from 'mongoose';
import type { AccountContext } from '../context.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { MAINTENANCE } from '../database/models/account-scope.ts';
import { ConnectionModel, type ConnectionRow } from '../database/models/connection.ts';
import { type DeploymentDoc, primaryOf } from '../database/models/publishing/deployment.ts';
import { DAY_MS, MINUTE_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { enqueueJob } from '../queue/queue.ts';
import { connectionIdsOf } from './credentials.ts';
import { testConnection } from './index.ts';
import { type ConnectedDestination, connectionsOfAll, lostConnections } from './lost-connections.ts';

/** A platform that accepted a token this recently is not asked again: a burst of releases asks once. */
const BELIEVED_MS = MINUTE_MS;
/** A release waits no longer for the answer: it goes on without it, and fails if the token is refused. */
const LOOK_MS = 5_000;
/** Even with one more turn it ends before the next run: every hour (server/queue/recurring.ts). */
const RUN_MS = 50 * MINUTE_MS;

/**
 * Asks the platforms of a deployment whether they still accept its credentials, before every release that a person
 * begins: each refusal is known from then on, and nobody sends files in vain. Only `needed` stops it, by default the
 * primary platform; a platform that does not answer is no obstacle. Throws `credentials_invalid`.
 */
export async function requireConnected(
  ctx: AccountContext,
  deployment: DeploymentDoc,
  needed: ConnectedDestination = primaryOf(deployment),
): Promise<void> {
  const { accountId } = ctx.actor;
  const used = [needed, ...deployment.destinations.filter(({ state }) => state !== 'removing')];
  const ids = used.flatMap(connectionIdsOf);
  if (ids.length === 0) return;
  const believed = new Date(ctx.now().getTime() - BELIEVED_MS);
  const doubtful = await ConnectionModel.find(
    { accountId, _id: { $in: ids }, $or: [{ testedAt: { $lt: believed } }, { state: 'broken' }] },
    { _id: 1 },
  ).lean();
  await Promise.all(doubtful.map(({ _id }) => lookAtConnection(ctx, _id, AbortSignal.timeout(LOOK_MS))));
  const alone = { state: deployment.state, destinations: [needed] };
  const [lost] = lostConnections(alone, await connectionsOfAll(accountId, [alone]));
  if (lost === undefined) return;
  const hint =
    lost.connectionId === null ? 'Connect the same account again in Settings.' : 'Replace the token in Settings.';
  throw new AppError('credentials_invalid', lost.message, { hint });
}

/** Asks the provider whether a connection works, and stores the answer. No answer changes nothing. */
export async function lookAtConnection(ctx: AccountContext, connectionId: string, signal: AbortSignal): Promise<void> {
  await testConnection(ctx, { connectionId }, signal).catch((error: unknown) => {
    // It was removed meanwhile, is down, or was asked too often.
    if (!(error instanceof AppError)) throw error;
  });
}

type InTransaction = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/** Enqueues a check of every connection that was not checked for a day, the longest ago first. */
export async function enqueueDueLooks(now: Date, signal: AbortSignal, inTransaction: InTransaction): Promise<void> {
  const over = AbortSignal.timeout(RUN_MS);
  const due = ConnectionModel.find({ testedAt: { $lt: new Date(now.getTime() - DAY_MS) } }, { accountId: 1 })
    .sort({ testedAt: 1 })
    .setOptions(MAINTENANCE)
    .hint('due')
    .lean()
    .cursor({ batchSize: 100 });
  for await (const { _id: connectionId, accountId } of rowsOf<Pick<ConnectionRow, '_id' | 'accountId'>>(due)) {
    signal.throwIfAborted();
    if (over.aborted) return;
    const key = `check-connection ${connectionId}`;
    await inTransaction((session) =>
      enqueueJob(session, { name: 'check-connection', payload: { connectionId }, accountId, key, dedupeKey: key }),
    );
  }
}
