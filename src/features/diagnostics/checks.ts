import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../../routers/schemas/diagnostics.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { Destination } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORM_TITLES } from '../../../routers/schemas/platforms/titles.ts';
import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { destinationLabel } from '../../components/states/destination-badge.tsx';
import { missingFilesText } from '../../components/states/missing-text.ts';
import { formatAddress } from '../../lib/format.ts';
import { freshChecks } from '../../lib/fresh-checks.ts';
import { href } from '../../lib/paths/paths.ts';
import { othersOf } from '../../lib/primary-destination.ts';
import { isRollBackStep } from '../../lib/roll-back.ts';
import { waitingNumber, waitingPlatform } from '../../lib/waiting.ts';
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
    ...othersOf(deployment).map((place) => placeCheck(deployment, place)),
    ...deployment.lostConnections.map((lost) => lostCheck(deployment, lost)),
  ];
}

/** Returns whether a check asks for an act; what could not be looked at may ask for one as well. */
export function asksForAct(check: Check): boolean {
  return isTrouble(check) || check.link !== null;
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
    return { ...check, verdict: 'pass', seen: 'All files on the start page load.', at: current.finishedAt, link: null };
  }
  return {
    ...check,
    verdict: 'warn',
    seen: `${missingFilesText(missing)}.`,
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
  if (currentRelease === null) return { ...check, ...nothing, seen: 'Nothing is live yet.' };
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
    const waiting = waitingPlatform(deployment);
    if (waiting !== undefined && waitingNumber(deployment) === number)
      return { ...check, ...waitsFor(deployment, waiting) };
    return { ...check, ...unknown, seen: `Release ${number} is on its way.` };
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

/** Judges a platform after the primary one, at which the live release is published as well. */
function placeCheck(deployment: Deployment, place: Destination): Check {
  const { id, platform, state, error } = place;
  const check = { id, title: `Publication at ${PLATFORM_TITLES[platform]}`, at: null };
  if (state === 'waiting') return { ...check, ...waitsFor(deployment, place) };
  if (state === 'failed') {
    const seen = error?.message ?? 'It failed without giving a reason.';
    return { ...check, verdict: 'fail', seen, link: seeDeployment(deployment) };
  }
  const verdict = state === 'live' ? 'pass' : 'unknown';
  return { ...check, verdict, seen: `${destinationLabel(state)}.`, link: null };
}

function waitsFor(deployment: Deployment, { platform, error }: Destination): Omit<Check, 'id' | 'title'> {
  const number = waitingNumber(deployment) ?? 0;
  const title = PLATFORM_TITLES[platform];
  const link = { to: href.release(deployment.id, number), label: `Finish at ${title}` };
  const seen = error?.message ?? `Release ${number} waits for you to finish it at ${title}.`;
  return { verdict: 'warn', seen, at: null, link };
}

function lostCheck(deployment: Deployment, { destinationId, provider, message }: Lost): Check {
  const check = { id: `lost ${destinationId} ${provider}`, title: `Connection to ${PLATFORM_TITLES[provider]}` };
  return { ...check, verdict: 'warn', seen: message, at: null, link: seeDeployment(deployment) };
}

type Lost = Deployment['lostConnections'][number];

const seeDeployment = ({ id }: Deployment) => ({ to: href.deployment(id), label: 'See what to do' });

/** A rollback makes a release the latest one again, which keeps the time at which it was finished. */
function isBack({ liveSince, finishedAt }: NonNullable<Deployment['currentRelease']>): boolean {
  return liveSince !== null && finishedAt !== null && liveSince > finishedAt;
}
