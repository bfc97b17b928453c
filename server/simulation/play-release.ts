import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { ReleaseDetail, ReleaseStep } from '../../routers/schemas/releases.ts';
import type { SimulatedScene } from '../../routers/schemas/simulation.ts';
import { RELEASE_STEPS, type ReleaseStepName } from '../../routers/schemas/states.ts';
import type { AppError } from '../lib/errors.ts';
import { shownError } from '../lib/errors.ts';
import { waitingAt } from '../publishing/platforms/by-hand.ts';
import { firstReleaseLine } from '../publishing/publication/publish.ts';
import { allSeenLine, liveLine } from '../publishing/publication/verify.ts';
import { type Cast, SIMULATED_ID, SITE_URL } from './cast.ts';
import { isByHand, type ReleaseFailure } from './release-failures.ts';

export type ReleaseScene = Pick<SimulatedScene, 'atMs' | 'release' | 'handOff' | 'isHeld'>;
type Left = Pick<ReleaseScene, 'handOff' | 'isHeld'>;
type Show = (ms?: number, left?: Left) => void;
export type SimulatedFiles = { count: number; totalBytes: number };

/** Long enough to read, and short enough to watch to the end. */
const LOOK_MS = 700;
const WAIT_MS = 2_000;

/** Plays a first release step by step, to the end or to its failure: nothing is written, and nobody is asked. */
export function playRelease(cast: Cast, files: SimulatedFiles, failure: ReleaseFailure | null): ReleaseScene[] {
  const release = newRelease(cast, files);
  const scenes: ReleaseScene[] = [];
  let atMs = 0;
  const now = (): Date => new Date(cast.startedAt.getTime() + atMs);
  const show: Show = (ms = LOOK_MS, left = NOTHING_LEFT) => {
    scenes.push({ atMs, release: structuredClone(release), ...left });
    atMs += ms;
  };
  show();
  for (const step of release.steps) {
    Object.assign(step, { state: 'running', startedAt: now() });
    Object.assign(release, { state: step.name, startedAt: release.startedAt ?? now() });
    if (step.name === 'processing' && isByHand(cast.platform)) {
      for (const text of [waitingAt(cast.title), ...playHandOff(cast, release, failure, show)])
        step.log.push({ at: now(), text });
    } else show();
    const isHit = failure !== null && failure.step === step.name && failure.isOfAddress !== true;
    count(step, files, isHit ? 0.4 : 1);
    if (isHit && failure.isPassing !== true) {
      Object.assign(step, { state: 'failed', endedAt: now() });
      Object.assign(release, { state: 'failed', error: shownError(failure.error), finishedAt: now() });
      show();
      return scenes;
    }
    if (isHit) {
      step.log.push({ at: now(), text: waitingLine(failure.error) });
      show(WAIT_MS);
    }
    count(step, files, 1);
    for (const text of linesOf(step.name, cast, files)) step.log.push({ at: now(), text });
    show();
    Object.assign(step, { state: 'done', endedAt: now() });
  }
  Object.assign(release, { state: 'live', isCurrent: true, finishedAt: now() });
  show();
  return scenes;
}

const NOTHING_LEFT: Left = { handOff: null, isHeld: false };

/** Waits for the person, and returns the reason why an address was refused: the second one is right. */
function playHandOff(
  { platform, handOff: left }: Cast,
  release: ReleaseDetail,
  failure: ReleaseFailure | null,
  show: Show,
): string[] {
  // The link to the platform's own pages is left out.
  const handOff = { steps: (left?.steps ?? []).map(({ text }) => ({ text })) };
  const place = { id: SIMULATED_ID, platform, url: SITE_URL, missingLinks: [] };
  const wait = (error: ReleaseFailure['error'] | null): void => {
    // If the person must miss the deadline, nobody comes.
    const isHeld = failure?.step !== 'processing' || failure.isOfAddress === true;
    release.destinations = [{ ...place, state: 'waiting', error: error && shownError(error) }];
    show(WAIT_MS, { handOff, isHeld });
    release.destinations = [{ ...place, state: 'publishing', error: null }];
    if (isHeld) show();
  };
  wait(null);
  if (failure?.isOfAddress !== true) return [];
  wait(failure.error);
  return [failure.error.message];
}

function waitingLine({ message, retryAfterMs = 0 }: AppError): string {
  return `${message} Trying again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
}

/** Counts files. We count those that we prepare, send and check; the platform processes them by itself. */
function count(step: ReleaseStep, { count: total, totalBytes }: SimulatedFiles, share: number): void {
  if (step.name === 'processing') return;
  Object.assign(step, {
    ...{ done: Math.floor(total * share), total },
    ...(step.name !== 'verifying' && { doneBytes: Math.floor(totalBytes * share), totalBytes }),
  });
}

function linesOf(name: ReleaseStepName, { platform, title }: Cast, files: SimulatedFiles): string[] {
  switch (name) {
    case 'preparing':
      return [firstReleaseLine(files.count)];
    case 'uploading':
      return [];
    case 'processing':
      if (isByHand(platform)) return [];
      return [`Handing release 1 to ${PLATFORMS[platform].isServedHere === true ? 'the simulated host' : title}`];
    case 'verifying': {
      const isDraft = PLATFORM_CAPABILITIES[platform]?.draft === true;
      const where = isDraft ? 'the release’s own address' : 'the public address';
      return [allSeenLine(files.count, where), liveLine(SITE_URL, 1)];
    }
  }
}

function newRelease({ startedAt }: Cast, { count: fileCount, totalBytes }: SimulatedFiles): ReleaseDetail {
  return {
    ...{ id: SIMULATED_ID, deploymentId: SIMULATED_ID, deploymentName: 'Your site', deploymentSlug: 'your-site' },
    ...{ platform: 'simulated', number: 1, state: 'queued', isCurrent: false, source: 'folder', createdBy: 'You' },
    ...{ url: SITE_URL, previewUrl: SITE_URL, fileCount, totalBytes, changedFiles: fileCount, corruptedFiles: [] },
    ...{
      hasStartPage: true,
      error: null,
      primaryId: SIMULATED_ID,
      destinations: [],
      createdAt: startedAt,
      startedAt: null,
      finishedAt: null,
      servingNumber: null,
      brokenLinks: [],
      replaced: null,
    },
    furtherSteps: [],
    steps: RELEASE_STEPS.map((name) => ({
      ...{ name, state: 'waiting', startedAt: null, endedAt: null, log: [] },
      ...{ done: 0, total: 0, doneBytes: 0, totalBytes: 0, doneBefore: null, doneBytesBefore: null },
    })),
  };
}
