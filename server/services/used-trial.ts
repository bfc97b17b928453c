import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { UsedTrialModel } from '../models/used-trial.ts';

/** Keeps that the trial of this address was used, beyond the account. */
export async function recordUsedTrial(session: ClientSession, emailKey: string): Promise<void> {
  const _id = idOf(emailKey);
  await UsedTrialModel.updateOne({ _id }, { $setOnInsert: { _id } }, { session, upsert: true });
}

/** Whether a deleted account of this address had its trial. */
export async function wasTrialUsed(emailKey: string, session: ClientSession | null = null): Promise<boolean> {
  return (await UsedTrialModel.exists({ _id: idOf(emailKey) }).session(session)) !== null;
}

function idOf(emailKey: string): string {
  return createHash('sha256').update(emailKey).digest('base64url');
}
