import type { ClientSession } from 'mongoose';
import { nameNotSet } from '../../routers/rules/name-not-set.ts';
import type { DomainRow } from '../database/models/domains/domain.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.ts';
import { enqueueJob, expediteJob } from '../queue/queue.ts';
import { isCertificateComing } from './ask-platform.ts';
import { NAME_ELSEWHERE } from './records/problem.ts';

const SECOND_MS = 1_000;

/**
 * The interval of checks by the time since the owner's last act: a person who has just written a record sees it within
 * seconds, and an idle domain costs a few questions an hour. In the first 15 minutes after each act, records that are
 * right at all name servers are served within 10 seconds: the check comes at most 5 seconds later, since a returning
 * job wakes its worker, and the rest is left for the check and the certificate.
 */
const QUICK_TO_SLOW: readonly { until: number; everyMs: number }[] = [
  { until: 15 * MINUTE_MS, everyMs: 5 * SECOND_MS },
  { until: HOUR_MS, everyMs: 15 * SECOND_MS },
  { until: 6 * HOUR_MS, everyMs: MINUTE_MS },
  { until: DAY_MS, everyMs: 5 * MINUTE_MS },
  { until: Number.POSITIVE_INFINITY, everyMs: 15 * MINUTE_MS },
];
/** The interval for a working domain: changes by somebody else are reported within the hour. */
const ACTIVE_MS = 30 * MINUTE_MS;
/** The interval after the first failure. */
const DOUBTED_MS = 5 * MINUTE_MS;
/** Each check at silent name servers holds a worker for seconds. */
const SILENT_MS = 15 * MINUTE_MS;

/** A slow domain, which takes longer than responsive name servers, may use a tenth of a worker's time. */
const SLOW_MS = 2 * SECOND_MS;
const REST_AFTER_SLOW = 10;

/** The time that a name without records is looked for beside one that works: its owner may not want it. */
const OTHER_NAME_MS = 6 * HOUR_MS;

type Resting = Pick<DomainRow, 'state' | 'attached' | 'quickFrom'> &
  Parameters<typeof nameNotSet>[0] & { problem?: { code: string } | null | undefined };

/** Returns whether a domain works with both names, and nothing is outstanding, including its certificate at a platform. */
export function isAtRest(domain: Resting, now: Date): boolean {
  if (domain.state !== 'active' || domain.problem?.code === NAME_ELSEWHERE || isCertificateComing(domain)) return false;
  return now.getTime() - domain.quickFrom.getTime() >= OTHER_NAME_MS || nameNotSet(domain) === undefined;
}

type Checked = Resting & {
  isSilent: boolean;
  isDoubted: boolean;
  /** The duration of the check. */
  tookMs: number;
};

/** Returns when a domain that was just checked is checked again. */
export function nextCheckAt(domain: Checked, now: Date): Date {
  const waitingMs = domain.isSilent ? SILENT_MS : quickMs(now.getTime() - domain.quickFrom.getTime());
  const restingMs = domain.isDoubted ? DOUBTED_MS : ACTIVE_MS;
  return new Date(now.getTime() + (isAtRest(domain, now) ? restingMs : Math.max(waitingMs, restMs(domain.tookMs))));
}

function restMs(tookMs: number): number {
  return tookMs < SLOW_MS ? 0 : Math.min(REST_AFTER_SLOW * tookMs, SILENT_MS);
}

function quickMs(ageMs: number): number {
  return QUICK_TO_SLOW.find(({ until }) => ageMs < until)?.everyMs ?? ACTIVE_MS;
}

type CheckedRow = Pick<DomainRow, '_id' | 'accountId'>;

/** Returns the key of a domain's check in the queue, which has one open at a time. */
export function checkKeyOf(domainId: string): string {
  return `check-domain ${domainId}`;
}

/** Enqueues a check of a domain, unless one waits or runs already. */
export async function enqueueCheck(session: ClientSession, { _id: domainId, accountId }: CheckedRow): Promise<void> {
  const key = checkKeyOf(domainId);
  await enqueueJob(session, { name: 'check-domain', payload: { domainId }, accountId, key, dedupeKey: key });
}

/** Makes the check of a domain due now, because its owner has just changed something. */
export async function expediteCheck(session: ClientSession, { _id: domainId, accountId }: CheckedRow): Promise<void> {
  await expediteJob(session, {
    name: 'check-domain',
    payload: { domainId },
    accountId,
    key: checkKeyOf(domainId),
  });
}
