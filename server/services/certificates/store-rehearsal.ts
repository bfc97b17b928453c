import type { ClientSession } from 'mongoose';
import type { Rehearsal, RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/certificate.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { tellObstacle } from './notify-owner.ts';

const EVERY_MS = 7 * DAY_MS;
/** What was mended is seen soon, and what was a passing trouble is not told. */
const AFTER_FAILURE_MS = HOUR_MS;

/**
 * Keeps what a rehearsal of the next renewal has found. What two in a row have found is told, once for its cause
 * until it is gone; whoever has asked for one sees for themselves.
 */
export async function storeRehearsal(
  session: ClientSession,
  providers: Providers,
  { certificateId, accountId }: { certificateId: string; accountId: string },
  { rehearsal, isByHand }: { rehearsal: Rehearsal; isByHand: boolean },
): Promise<void> {
  const filter = { _id: certificateId, accountId };
  const doc = await CertificateModel.findOne(filter).session(session).lean();
  if (doc === null) return;
  const canSee = doc.reachedAt instanceof Date;
  const obstacle = obstacleIn(rehearsal, canSee);
  const told: string[] = doc.notifiedCauses ?? [];
  const cause = causeOf(obstacle);
  const isSure = cause !== undefined && cause === causeOf(obstacleIn(doc.rehearsal, canSee)) && !isByHand;
  const news = isSure && !told.includes(cause) ? obstacle : undefined;
  // What a try has failed for stands until a try succeeds.
  const isMended = obstacle === undefined && !doc.problem;
  const notifiedCauses = isMended ? [] : [...told, ...(news === undefined || cause === undefined ? [] : [cause])];
  const waitMs = obstacle === undefined ? EVERY_MS : AFTER_FAILURE_MS;
  // Null for one that is not rehearsed: of the app's own authority, or revoked.
  const rehearseAt = doc.rehearseAt && new Date(providers.now().getTime() + waitMs);
  await CertificateModel.updateOne(
    filter,
    { $set: { rehearsal, rehearseAt, notifiedCauses, ...(isReached(rehearsal) && { reachedAt: rehearsal.at }) } },
    { session },
  );
  if (news !== undefined) await tellObstacle(session, providers, doc, news.message);
}

/**
 * The limits of an authority make room by themselves until the renewal. A challenge that could not be tried is in the way
 * where it was seen to pass before: port 80 was closed, and not to us alone.
 */
function obstacleIn(rehearsal: Rehearsal | CertificateRow['rehearsal'], canSee: boolean): RehearsalCheck | undefined {
  const isObstacle = ({ id, verdict }: RehearsalCheck) =>
    (verdict === 'fail' && id !== 'limits') || (verdict === 'unknown' && id === 'challenge' && canSee);
  return rehearsal?.checks.find(isObstacle);
}

/** A name that leads nowhere is why its challenge fails, which the try of an order calls it. */
function causeOf(obstacle: RehearsalCheck | undefined): RehearsalCheck['id'] | undefined {
  return obstacle?.id === 'dns' ? 'challenge' : obstacle?.id;
}

function isReached({ checks }: Rehearsal): boolean {
  const tried = checks.filter(({ id }) => id === 'challenge');
  return tried.length > 0 && tried.every(({ verdict }) => verdict === 'pass');
}
