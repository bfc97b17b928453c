import type { ClientSession } from 'mongoose';
import type { LicenseDoc } from '../../database/models/plans/license.ts';
import { endPlan, type GrantedPeriod } from '../subscription/grant.ts';
import { periodOf } from './read.ts';

/**
 * Takes the unused time of a license from an account, in the caller's transaction. Returns the time that was taken, or
 * null when there was none: another plan has replaced it, or it is over. Throws `not_found` without such an account.
 */
export async function withdrawLicense(
  session: ClientSession,
  doc: LicenseDoc,
  { accountId, now }: { accountId: string; now: Date },
): Promise<GrantedPeriod | null> {
  const period = periodOf(doc);
  const takenMs = await endPlan(session, { accountId, plan: doc.plan, period, now });
  if (takenMs === 0) return null;
  const startsAt = period.startsAt > now ? period.startsAt : now;
  return { startsAt, endsAt: new Date(startsAt.getTime() + takenMs) };
}
