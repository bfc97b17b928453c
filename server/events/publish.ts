import mongoose, { type ClientSession } from 'mongoose';
import type { StoredEvent } from '../../routers/schemas/events.ts';
import { UserModel } from '../database/models/account/user.ts';
import { EventModel } from '../database/models/event.ts';
import { newId } from '../database/mongo.ts';

/** The log of one account has this many events; a reader that is further behind gets `resync` (stream.ts). */
export const EVENTS_KEPT = 10_000;
/** The oldest events are dropped once for this many new ones, so that the other writes stay as fast as without it. */
const TRIM_EVERY = 1_000;

/**
 * Appends an event with the next number of the account, inside the caller's transaction. Two transactions of one
 * account conflict on the counter and one runs again, so the numbers follow the order of commits without gaps.
 */
export async function publishEvent(session: ClientSession, accountId: string, event: StoredEvent): Promise<void> {
  const owner = await UserModel.findOneAndUpdate(
    { _id: accountId },
    { $inc: { eventSeq: 1 } },
    { session, returnDocument: 'after', projection: { eventSeq: 1 }, timestamps: false },
  );
  // The account was deleted meanwhile: nobody reads its events.
  if (owner === null) return;
  const { type, ...payload } = event;
  await EventModel.create([{ _id: newId(), accountId, seq: owner.eventSeq, type, payload, at: mongoose.now() }], {
    session,
  });
  if (owner.eventSeq % TRIM_EVERY === 0) await trimLog(session, accountId, owner.eventSeq);
}

/**
 * Deletes the events of the last two trims at most, so that no transaction deletes very many rows; older ones expire.
 */
async function trimLog(session: ClientSession, accountId: string, last: number): Promise<void> {
  const newestToDrop = last - EVENTS_KEPT;
  const seq = { $gt: newestToDrop - 2 * TRIM_EVERY, $lte: newestToDrop };
  await EventModel.deleteMany({ accountId, seq }, { session });
}
