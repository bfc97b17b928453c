import type { Release } from '../../../routers/schemas/releases.ts';
import type { ReleaseState } from '../../../routers/schemas/state-names.ts';
import { ownerLabel } from '../../lib/deployment-label.ts';

/** The result of a release; one that was replaced later went live as well. */
export type Outcome = 'live' | 'failed' | 'cancelled' | 'running';

export type CountedRelease = Pick<
  Release,
  | 'deploymentId'
  | 'deploymentName'
  | 'deploymentSlug'
  | 'url'
  | 'number'
  | 'state'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
>;

export type ReleaseStatistics = {
  count: number;
  outcomes: Record<Outcome, number>;
  /** Measured from the start of the work until the release was seen live; null when none went live. */
  typicalMs: number | null;
  longestMs: number | null;
};

export type DeploymentStatistics = ReleaseStatistics & {
  deploymentId: string;
  deploymentLabel: string;
  /** The newest of those that are counted. */
  latest: { number: number; createdAt: Date };
};

export function statisticsOf(releases: readonly CountedRelease[]): ReleaseStatistics {
  const outcomes: Record<Outcome, number> = { live: 0, failed: 0, cancelled: 0, running: 0 };
  for (const { state } of releases) outcomes[outcomeOf(state)] += 1;
  const durations = releases.flatMap(durationMsOf).sort((one, other) => one - other);
  return {
    count: releases.length,
    outcomes,
    typicalMs: durations[Math.floor((durations.length - 1) / 2)] ?? null,
    longestMs: durations.at(-1) ?? null,
  };
}

/** Counts by deployment, in the order of the given releases: newest first. */
export function statisticsByDeployment(releases: readonly CountedRelease[]): DeploymentStatistics[] {
  const groups = new Map<string, { latest: CountedRelease; releases: CountedRelease[] }>();
  for (const release of releases) {
    const group = groups.get(release.deploymentId);
    if (group === undefined) groups.set(release.deploymentId, { latest: release, releases: [release] });
    else group.releases.push(release);
  }
  return [...groups.values()].map((group) => ({
    deploymentId: group.latest.deploymentId,
    deploymentLabel: ownerLabel(group.latest),
    latest: { number: group.latest.number, createdAt: group.latest.createdAt },
    ...statisticsOf(group.releases),
  }));
}

function outcomeOf(state: ReleaseState): Outcome {
  if (state === 'live' || state === 'superseded') return 'live';
  return state === 'failed' || state === 'cancelled' ? state : 'running';
}

/** Returns the duration of a release that went live: a failure's says nothing about how long a release takes. */
function durationMsOf({ state, startedAt, finishedAt }: CountedRelease): number[] {
  if (outcomeOf(state) !== 'live' || startedAt === null || finishedAt === null) return [];
  return [finishedAt.getTime() - startedAt.getTime()];
}
