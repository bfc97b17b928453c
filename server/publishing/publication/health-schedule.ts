import type { ClientSession } from 'mongoose';
import type { CheckVerdict } from '../../../routers/schemas/diagnostics.ts';
import { DeploymentHealthModel } from '../../database/models/publishing/deployment-health.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts';
import { expediteJob } from '../../queue/queue.ts';

/** A deployment that has just gone live was seen live, so the first check is for later changes. */
const FIRST_MS = 5 * MINUTE_MS;

/**
 * The interval of checks by the time since the last change of a verdict: a change is noticed soon, and a website that
 * has worked for months costs four checks a day.
 */
const QUICK_TO_SLOW: readonly { until: number; everyMs: number }[] = [
  { until: HOUR_MS, everyMs: 10 * MINUTE_MS },
  { until: DAY_MS, everyMs: 30 * MINUTE_MS },
  { until: 7 * DAY_MS, everyMs: 2 * HOUR_MS },
  { until: Number.POSITIVE_INFINITY, everyMs: 6 * HOUR_MS },
];

type Known = { accountId: string; deploymentId: string; now: Date };

/** Schedules checks of a deployment from now on, because it went live or was changed. */
export async function scheduleHealthCheck(
  session: ClientSession,
  { accountId, deploymentId, now }: Known,
): Promise<void> {
  const due = { nextCheckAt: new Date(now.getTime() + FIRST_MS), changedAt: now };
  const known = { _id: deploymentId, accountId };
  await DeploymentHealthModel.updateOne(known, { $set: due }, { session, upsert: true });
}

/**
 * Makes the check of a deployment that is live due now, because a domain of it, or its certificate, changed. `isGone`:
 * the deployment has the domain no more, so what was last seen there is forgotten.
 */
export async function expediteHealthCheck(
  session: ClientSession,
  { accountId, deploymentId, now, isGone = false }: Known & { isGone?: boolean },
): Promise<void> {
  const known = { _id: deploymentId, accountId };
  const due = { nextCheckAt: now, ...(isGone && { checks: [], checkedAt: null }) };
  const { matchedCount } = await DeploymentHealthModel.updateOne(known, { $set: due }, { session });
  if (matchedCount === 0) return;
  const key = `check-deployment ${deploymentId}`;
  await expediteJob(session, { name: 'check-deployment', payload: { deploymentId }, accountId, key });
}

/** Returns the next check of a deployment whose verdicts have been the same since `changedAt` (pure). */
export function nextHealthCheckAt(changedAt: Date, now: Date): Date {
  const age = now.getTime() - changedAt.getTime();
  const { everyMs } = QUICK_TO_SLOW.find(({ until }) => age < until) ?? { everyMs: 6 * HOUR_MS };
  return new Date(now.getTime() + everyMs);
}

type Verdicts = readonly { id: string; verdict: CheckVerdict }[];

/** Returns whether a verdict has changed (pure); an unknown one is no change. */
export function isAnother(before: Verdicts, now: Verdicts): boolean {
  const known = (list: Verdicts): string =>
    list.map(({ id, verdict }) => `${id} ${verdict === 'unknown' ? 'pass' : verdict}`).join();
  return known(before) !== known(now);
}
