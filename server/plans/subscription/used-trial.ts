import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { SubscriptionRow } from '../../database/models/plans/subscription.ts';
import { UsedTrialModel } from '../../database/models/plans/used-trial.ts';

/** Records that this address has used its trial; the record outlives the account. */
export async function recordUsedTrial(session: ClientSession, emailKey: string): Promise<void> {
  const _id = idOf(emailKey);
  await UsedTrialModel.updateOne({ _id }, { $setOnInsert: { _id } }, { session, upsert: true });
}

/** Returns whether this account, or a deleted one with the same address, has had its trial. */
export async function hadTrial(
  subscription: SubscriptionRow | null,
  emailKey: string,
  session: ClientSession | null = null,
): Promise<boolean> {
  return subscription?.trialStartedAt instanceof Date || (await wasTrialUsed(emailKey, session));
}

/** Returns whether a deleted account with this address had its trial. */
async function wasTrialUsed(emailKey: string, session: ClientSession | null = null): Promise<boolean> {
  return (await UsedTrialModel.exists({ _id: idOf(emailKey) }).session(session)) !== null;
}

function idOf(emailKey: string): string {
  return createHash('sha256').update(emailKey).digest('base64url');
}
