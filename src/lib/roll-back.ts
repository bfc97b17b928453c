import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { ReleaseStep } from '../../routers/schemas/releases.ts';
import { isRunningReleaseState, type ReleaseState } from '../../routers/schemas/state-names.ts';

type Run = { state: ReleaseState; finishedAt: Date | null };

/** Returns whether a rollback to this release is running, which cannot be cancelled. */
export function isRollingBack({ state, finishedAt }: Run): boolean {
  return isRunningReleaseState(state) && finishedAt !== null;
}

/**
 * Returns whether the step belongs to a rollback: it began after the release had been finished once, or is about to.
 */
export function isRollBackStep({ name, startedAt }: Pick<ReleaseStep, 'name' | 'startedAt'>, release: Run): boolean {
  if (name !== 'verifying' || release.finishedAt === null) return false;
  return startedAt === null ? isRollingBack(release) : startedAt > release.finishedAt;
}

/**
 * Returns the act by which a deployment serves another of its releases; null before the first is live, and where there
 * is no other, or only a later one that never was live.
 */
export function wayFrom({
  currentRelease,
  latestRelease,
  releaseCount,
}: Pick<Deployment, 'currentRelease' | 'latestRelease' | 'releaseCount'>) {
  if (currentRelease === null || releaseCount < 2) return null;
  if (currentRelease.number > 1) return 'Roll back';
  return releaseCount === 2 && latestRelease?.state !== 'superseded' ? null : 'Bring back a later release';
}
