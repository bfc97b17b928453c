import type { ClientSession } from 'mongoose';
import type { DomainRow } from '../../database/models/domain.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { enqueueJob, hastenJob } from '../../queue/queue.ts';
import { isCertificateComing } from './ask-platform.ts';

const SECOND_MS = 1_000;

/**
 * How long after the last act of its owner a domain is checked how often: whoever has just written a record sees it
 * within seconds, and one that nobody works on costs a few questions an hour.
 * In the first 15 minutes after each act, what is right at all name servers is served within 10 seconds: it is checked at
 * most 5 seconds later, since a job that comes back wakes its worker, and the rest is left for the check and the certificate.
 */
const QUICK_TO_SLOW: readonly { until: number; everyMs: number }[] = [
  { until: 15 * MINUTE_MS, everyMs: 5 * SECOND_MS },
  { until: HOUR_MS, everyMs: 15 * SECOND_MS },
  { until: 6 * HOUR_MS, everyMs: MINUTE_MS },
  { until: DAY_MS, everyMs: 5 * MINUTE_MS },
  { until: Number.POSITIVE_INFINITY, everyMs: 15 * MINUTE_MS },
];
/** Of a domain that works: a change by another hand is told within the hour. */
const ACTIVE_MS = 30 * MINUTE_MS;
/** Of one that was seen to fail for the first time. */
const DOUBTED_MS = 5 * MINUTE_MS;
/** Each check at name servers that say nothing holds a worker for seconds. */
const SILENT_MS = 15 * MINUTE_MS;

/** Of one that takes longer than name servers that are there, a worker has at most a tenth for itself. */
const SLOW_MS = 2 * SECOND_MS;
const REST_AFTER_SLOW = 10;

/** Whether a domain works: nobody waits for anything any more, its certificate at a platform included. */
export function isAtRest(domain: Pick<DomainRow, 'state' | 'attached'>): boolean {
  return domain.state === 'active' && !isCertificateComing(domain);
}

type Checked = Pick<DomainRow, 'state' | 'quickFrom' | 'attached'> & {
  isSilent: boolean;
  isDoubted: boolean;
  /** How long the check took. */
  tookMs: number;
};

/** Returns when a domain that was just checked is checked again. */
export function nextCheckAt(domain: Checked, now: Date): Date {
  const waitingMs = domain.isSilent ? SILENT_MS : quickMs(now.getTime() - domain.quickFrom.getTime());
  const restingMs = domain.isDoubted ? DOUBTED_MS : ACTIVE_MS;
  return new Date(now.getTime() + (isAtRest(domain) ? restingMs : Math.max(waitingMs, restMs(domain.tookMs))));
}

function restMs(tookMs: number): number {
  return tookMs < SLOW_MS ? 0 : Math.min(REST_AFTER_SLOW * tookMs, SILENT_MS);
}

function quickMs(ageMs: number): number {
  return QUICK_TO_SLOW.find(({ until }) => ageMs < until)?.everyMs ?? ACTIVE_MS;
}

type CheckedRow = Pick<DomainRow, '_id' | 'accountId'>;

/** Names the check of a domain in the queue, which has one open at a time. */
export function checkKeyOf(domainId: string): string {
  return `check-domain ${domainId}`;
}

/** Enqueues a check of a domain, unless one waits or runs already. */
export async function enqueueCheck(session: ClientSession, { _id: domainId, accountId }: CheckedRow): Promise<void> {
  const key = checkKeyOf(domainId);
  await enqueueJob(session, { name: 'check-domain', payload: { domainId }, accountId, key, dedupeKey: key });
}

/** Has a domain checked as soon as somebody has time: its owner has just changed something. */
export async function hastenCheck(session: ClientSession, { _id: domainId, accountId }: CheckedRow): Promise<void> {
  await hastenJob(session, {
    name: 'check-domain',
    payload: { domainId },
    accountId,
    key: checkKeyOf(domainId),
  });
}
