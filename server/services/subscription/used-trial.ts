import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { SubscriptionRow } from '../../database/models/subscription.ts';
import { UsedTrialModel } from '../../database/models/used-trial.ts';

/** Keeps that the trial of this address was used, beyond the account. */
export async function recordUsedTrial(session: ClientSession, emailKey: string): Promise<void> {
  const _id = idOf(emailKey);
  await UsedTrialModel.updateOne({ _id }, { $setOnInsert: { _id } }, { session, upsert: true });
}

/** Whether this account had its trial, or a deleted one of the same address. */
export async function hadTrial(
  subscription: SubscriptionRow | null,
  emailKey: string,
  session: ClientSession | null = null,
): Promise<boolean> {
  return subscription?.trialStartedAt instanceof Date || (await wasTrialUsed(emailKey, session));
}

/** Whether a deleted account of this address had its trial. */
async function wasTrialUsed(emailKey: string, session: ClientSession | null = null): Promise<boolean> {
  return (await UsedTrialModel.exists({ _id: idOf(emailKey) }).session(session)) !== null;
}

function idOf(emailKey: string): string {
  return createHash('sha256').update(emailKey).digest('base64url');
}
