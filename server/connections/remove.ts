import type { ClientSession } from 'mongoose';
import type { RemoveConnectionInput } from '../../routers/schemas/connections.ts';
import { DONE, type Done } from '../../routers/schemas/primitives.ts';
import type { AccountContext } from '../context.ts';
import { type ConnectionDoc, ConnectionModel } from '../database/models/connection.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { transaction } from '../database/mongo.ts';
import { publishEvent } from '../events/publish.ts';
import { notFound } from '../lib/errors.ts';
import { removeChallengeRecords } from './challenge-records.ts';
import { CONNECTION_FIELDS } from './credentials.ts';
import { idOfSubject } from './index.ts';

/** The browser waits for 30 s (src/api/links.ts): a silent provider is no obstacle. */
const RECORDS_MS = 15_000;

/**
 * Forgets a credential, after the challenge records that were written with it are removed: afterwards nobody can. Its
 * deployments stay live, and a new connection of the same identity can publish them.
 */
export async function removeConnection(ctx: AccountContext, { connectionId }: RemoveConnectionInput): Promise<Done> {
  const { accountId } = ctx.actor;
  const { signal } = new AbortController();
  await removeChallengeRecords(ctx.providers, { accountId, connectionId }, signal, { withinMs: RECORDS_MS });
  const connection = await transaction(async (session) => {
    const removed = await ConnectionModel.findOneAndDelete({ _id: connectionId, accountId }, { session });
    if (removed === null) throw notFound('connection');
    await leaveToSubject(session, removed);
    await publishEvent(session, accountId, { type: 'analytics_update' });
    return removed;
  });
  // An order that was about to write may have done so meanwhile. What failed above would fail again.
  const late = { accountId, connectionId, failures: null };
  await removeChallengeRecords(ctx.providers, late, signal, { withinMs: RECORDS_MS, removed: connection });
  return DONE;
}

/** Points the destinations to the id that the next connection of this identity will have. */
async function leaveToSubject(session: ClientSession, { _id, accountId, provider, subject }: ConnectionDoc) {
  if (!subject) return;
  const id = idOfSubject({ accountId, provider, subject });
  if (id === _id) return;
  for (const field of CONNECTION_FIELDS) {
    await DeploymentModel.updateMany(
      { accountId, [`destinations.${field}`]: _id },
      { $set: { [`destinations.$[one].${field}`]: id } },
      // Nothing happens to the deployment itself.
      { session, arrayFilters: [{ [`one.${field}`]: _id }], timestamps: false },
    );
  }
}
