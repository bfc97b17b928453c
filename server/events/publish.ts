import mongoose, { type ClientSession } from 'mongoose';
import type { StoredEvent } from '../../routers/schemas/events.ts';
import { EventModel } from '../models/event.ts';
import { UserModel } from '../models/user.ts';
import { newId } from '../mongo.ts';

/**
 * Appends an event with the next number of the account, inside the caller's transaction. Two transactions of one
 * account conflict on the counter and one runs again, so the numbers are commit order without gaps.
 */
export async function publishEvent(session: ClientSession, accountId: string, event: StoredEvent): Promise<void> {
  const owner = await UserModel.findOneAndUpdate(
    { _id: accountId },
    { $inc: { eventSeq: 1 } },
    { session, returnDocument: 'after', projection: { eventSeq: 1 }, timestamps: false },
  );
  // The account was deleted meanwhile: nobody is left to be told.
  if (owner === null) return;
  const { type, ...payload } = event;
  await EventModel.create([{ _id: newId(), accountId, seq: owner.eventSeq, type, payload, at: mongoose.now() }], {
    session,
  });
}
