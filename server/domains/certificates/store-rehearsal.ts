import type { ClientSession } from 'mongoose';
import type { Rehearsal, RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/domains/certificate.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { notifyObstacle } from './notify-owner.ts';

const EVERY_MS = 7 * DAY_MS;
/** A certificate of six days is renewed at half of its lifetime, and needs a rehearsal before that, too. */
const EVERY_SHARE = 4;
/** A correction is noticed soon, and a passing disturbance is not reported. */
const AFTER_FAILURE_MS = HOUR_MS;

/**
 * Stores the result of a rehearsal of the next renewal. A result that comes twice in a row is reported, once for its
 * cause until it is gone; a person who requested the rehearsal sees it anyway.
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
  const notified: string[] = doc.notifiedCauses ?? [];
  const cause = causeOf(obstacle);
  const isSure = cause !== undefined && cause === causeOf(obstacleIn(doc.rehearsal, canSee)) && !isByHand;
  const news = isSure && !notified.includes(cause) ? obstacle : undefined;
  // The problem of a failed try stays until a try succeeds.
  const isMended = obstacle === undefined && !doc.problem;
  const notifiedCauses = isMended ? [] : [...notified, ...(news === undefined || cause === undefined ? [] : [cause])];
  const waitMs = obstacle === undefined ? everyMs(doc.issued) : AFTER_FAILURE_MS;
  // Null when there is no rehearsal: for the app's own authority, or after a revocation.
  const rehearseAt = doc.rehearseAt && new Date(providers.now().getTime() + waitMs);
  await CertificateModel.updateOne(
    filter,
    { $set: { rehearsal, rehearseAt, notifiedCauses, ...(isReached(rehearsal) && { reachedAt: rehearsal.at }) } },
    { session },
  );
  if (news !== undefined) await notifyObstacle(session, providers, doc, news.message);
}

function everyMs(issued: CertificateRow['issued']): number {
  if (!issued) return EVERY_MS;
  return Math.min(EVERY_MS, (issued.notAfter.getTime() - issued.notBefore.getTime()) / EVERY_SHARE);
}

/**
 * Returns the obstacle. A limit of the authority frees itself until the renewal. A challenge that could not be tried
 * is an obstacle if it used to pass: port 80 was closed, and not to us alone.
 */
function obstacleIn(rehearsal: Rehearsal | CertificateRow['rehearsal'], canSee: boolean): RehearsalCheck | undefined {
  const isObstacle = ({ id, verdict }: RehearsalCheck) =>
    (verdict === 'fail' && id !== 'limits') || (verdict === 'unknown' && id === 'challenge' && canSee);
  return rehearsal?.checks.find(isObstacle);
}

/**
 * Returns the cause. A name that points nowhere makes its challenge fail, and the try of an order reports it as that.
 */
function causeOf(obstacle: RehearsalCheck | undefined): RehearsalCheck['id'] | undefined {
  return obstacle?.id === 'dns' ? 'challenge' : obstacle?.id;
}

function isReached({ checks }: Rehearsal): boolean {
  const tried = checks.filter(({ id }) => id === 'challenge');
  return tried.length > 0 && tried.every(({ verdict }) => verdict === 'pass');
}
