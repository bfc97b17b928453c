import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../../routers/schemas/diagnostics.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { formatAddress } from '../../lib/format.ts';
import { freshChecks } from '../../lib/fresh-checks.ts';
import { href } from '../../lib/paths/paths.ts';
import { isRollBackStep } from '../../lib/roll-back.ts';
import { waitingNumber } from '../../lib/waiting.ts';
import { isTrouble } from './verdict-looks.ts';

/** `unknown`: not checked yet; it is never shown as wrong or as right. */
export type Verdict = 'pass' | 'warn' | 'fail' | 'unknown' | 'nothing';

export type Check = {
  id: string;
  title: string;
  verdict: Verdict;
  /** The finding in one sentence. */
  seen: string;
  /** The time of the finding; null when it holds now, or was never seen. */
  at: Date | null;
  /** The screen for repairing a failed check. */
  link: { to: string; label: string } | null;
};

/**
 * Returns the known facts about a deployment's releases, without a new request. `current` is the release that it
 * serves, `health` the last check from outside.
 */
export function checksOf(
  deployment: Deployment,
  current: ReleaseDetail | null,
  health: DeploymentHealth | undefined,
): Check[] {
  return [
    publishedCheck(deployment),
    comparedCheck(current),
    startPageCheck(current),
    addressCheck(deployment, health),
    filesCheck(deployment),
    lastReleaseCheck(deployment),
  ];
}

/** Returns the number of checks that ask for an act. */
export function troubleCount(checks: readonly Check[]): number {
  return checks.filter(isTrouble).length;
}

const nothing = { verdict: 'nothing', at: null, link: null } as const;
const unknown = { verdict: 'unknown', at: null, link: null } as const;

function publishedCheck({ currentRelease }: Deployment): Check {
  const check = { id: 'published', title: 'Publication' };
  if (currentRelease === null) return { ...check, ...nothing, seen: 'Nothing has been published yet.' };
  const { number, liveSince } = currentRelease;
  return {
    ...check,
    verdict: 'pass',
    seen: `Release ${number} is live.`,
    at: liveSince,
    link: null,
  };
}

/**
 * Judges the comparison. Live means seen live: the verification is the proof. A rollback checks less and begins after
 * the release was finished: every file was compared when this release or an earlier one of the deployment went live
 * with it.
 */
function comparedCheck(current: ReleaseDetail | null): Check {
  const check = { id: 'compared', title: 'Comparison with your upload' };
  const step = current?.steps.find(({ name }) => name === 'verifying');
  if (current === null || step?.state !== 'done')
    return { ...check, ...unknown, seen: 'No release has been checked yet.' };
  const isOfRollBack = isRollBackStep(step, current);
  const files = isOfRollBack || step.total === 0 ? 'Every file has been' : countText(step.total);
  return {
    ...check,
    verdict: 'pass',
    seen: `${files} fetched from the host and compared with what was sent, byte by byte.`,
    at: isOfRollBack ? current.finishedAt : step.endedAt,
    link: null,
  };
}

function startPageCheck(current: ReleaseDetail | null): Check {
  const check = { id: 'start-page', title: 'Start page' };
  if (current === null) return { ...check, ...unknown, seen: 'No release has been checked yet.' };
  const link = { to: href.release(current.deploymentId, current.number), label: 'See the release' };
  if (!current.hasStartPage) {
    const seen = 'There is none: anyone who opens the address sees “not found”.';
    return { ...check, verdict: 'warn', seen, at: current.finishedAt, link };
  }
  const missing = new Set(current.destinations.flatMap(({ missingLinks }) => missingLinks)).size;
  if (missing === 0) {
    return { ...check, verdict: 'pass', seen: 'No file that it uses is missing.', at: current.finishedAt, link: null };
  }
  return {
    ...check,
    verdict: 'warn',
    seen: `It uses ${formatCount(missing, 'file')} that visitors do not get.`,
    at: current.finishedAt,
    link: { ...link, label: 'See which' },
  };
}

function countText(files: number): string {
  return `${formatCount(files, 'file')} ${files === 1 ? 'was' : 'were'}`;
}

/** Returns the result of the last check from outside; whatever was live before, it says nothing of this release. */
function addressCheck({ url, currentRelease }: Deployment, health: DeploymentHealth | undefined): Check {
  const check = { id: 'address', title: 'Address' };
  const up = freshChecks(currentRelease, health).find(({ id }) => id === 'url-up');
  if (currentRelease === null || up === undefined) {
    const seen = url === '' ? 'It has no address yet.' : `${formatAddress(url)} has not been checked yet.`;
    return { ...check, ...unknown, seen };
  }
  return { ...check, verdict: up.verdict, seen: up.seen, at: health?.checkedAt ?? null, link: null };
}

function filesCheck({ id, currentRelease }: Deployment): Check {
  const check = { id: 'files', title: 'Stored files' };
  if (currentRelease === null) return { ...check, ...nothing, seen: 'There are no files yet.' };
  const { number, corruptedFileCount: count } = currentRelease;
  if (count === 0) return { ...check, verdict: 'pass', seen: 'No damaged files.', at: null, link: null };
  return {
    ...check,
    verdict: 'fail',
    seen: `${formatCount(count, 'file')} of release ${number} can no longer be read and ${count === 1 ? 'is' : 'are'} not served.`,
    at: null,
    link: { to: href.release(id, number), label: 'See what to do' },
  };
}

function lastReleaseCheck(deployment: Deployment): Check {
  const { id, latestRelease, currentRelease } = deployment;
  const check = { id: 'last', title: 'Last release' };
  if (latestRelease === null) return { ...check, ...nothing, seen: 'There is no release yet.' };
  const { number, state, finishedAt, errorMessage } = latestRelease;
  const stillLive = currentRelease === null ? '' : ` Release ${currentRelease.number} is still live.`;
  if (state === 'failed') {
    const seen = `Release ${number} failed. ${errorMessage ?? 'It failed without giving a reason.'}${stillLive}`;
    return {
      ...check,
      verdict: 'warn',
      seen,
      at: finishedAt,
      link: { to: href.release(id, number), label: 'See what happened' },
    };
  }
  if (isRunningReleaseState(state)) {
    const isYours = waitingNumber(deployment) === number;
    return { ...check, ...unknown, seen: `Release ${number} ${isYours ? 'waits for you' : 'is on its way'}.` };
  }
  if (state === 'cancelled') {
    return { ...check, ...nothing, seen: `Release ${number} was cancelled.${stillLive}`, at: finishedAt };
  }
  if (currentRelease !== null && number === currentRelease.number && isBack(currentRelease)) {
    const { liveSince: at } = currentRelease;
    const title = 'The last rollback went well';
    return { ...check, title, verdict: 'pass', seen: `Release ${number} is live again.`, at, link: null };
  }
  const isReplaced = currentRelease !== null && number !== currentRelease.number;
  const now = isReplaced ? ` Release ${currentRelease.number} is live now.` : '';
  return { ...check, verdict: 'pass', seen: `Release ${number} went live.${now}`, at: finishedAt, link: null };
}

/** A rollback makes a release the latest one again, which keeps the time at which it was finished. */
function isBack({ liveSince, finishedAt }: NonNullable<Deployment['currentRelease']>): boolean {
  return liveSince !== null && finishedAt !== null && liveSince > finishedAt;
}
