import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import type { ReleaseStep } from '../../../../routers/schemas/releases.ts';
import { isRunningReleaseState, type ReleaseState } from '../../../../routers/schemas/state-names.ts';
import type { StepState } from '../../../../routers/schemas/states.ts';
import type { ShownStepState } from '../../../components/page/stepper.tsx';
import { WAITING_FOR_YOU } from '../../../components/states/waiting-for-you.ts';
import { isRollBackStep } from '../../../lib/roll-back.ts';
import { waitingPlatform } from '../../../lib/waiting.ts';

/**
 * A part of the way from Publish to live, wherever it is shown. It spans this page's work and several steps of the
 * server: sending files here, and on to a platform, is one thing to a person who waits.
 */
export type PartName = 'sending' | 'checking' | 'switching';

const TITLES: Record<PartName, { waiting: string; running: string; done: string }> = {
  sending: { waiting: 'Send', running: 'Sending', done: 'Sent' },
  checking: { waiting: 'Check', running: 'Checking', done: 'Checked' },
  switching: { waiting: 'Switch on', running: 'Switching on', done: 'Switched on' },
};

const ROLL_BACK_TITLES = {
  waiting: 'Switching back to this release',
  running: 'Switching back to this release',
  done: 'Switched back to this release',
};

/** The words for parts that are still to come. */
export const PART_TEXTS: Record<PartName, string> = {
  sending: 'Your files go to the host',
  checking: 'New and changed files are compared',
  switching: 'Visitors see this release',
};

export function partTitle(name: PartName, state: ShownStepState, isRollBack = false): string {
  if (state === 'yours') return WAITING_FOR_YOU;
  const kind = state === 'done' || state === 'running' ? state : 'waiting';
  return (isRollBack ? ROLL_BACK_TITLES : TITLES[name])[kind];
}

export type ReleasePart = {
  name: PartName;
  state: ShownStepState;
  /** The server's steps in this part. */
  steps: readonly ReleaseStep[];
  isRollBack: boolean;
};

type Run = {
  state: ReleaseState;
  finishedAt: Date | null;
  steps: readonly ReleaseStep[];
  destinations: readonly Destination[];
};

/** Returns the parts of a release. A rollback only repeats the switch: the other steps are from the first time. */
export function releaseParts(release: Run): ReleasePart[] {
  const sending = release.steps.filter(({ name }) => name !== 'verifying');
  const checking = release.steps.filter(({ name }) => name === 'verifying');
  const isRollBack = checking.some((step) => isRollBackStep(step, release));
  const isRunning = isRunningReleaseState(release.state);
  const sent = stateOf(sending);
  // A part that this page has begun does not wait again until the server begins.
  const isBegun = sent === 'waiting' && isRunning;
  const isYours =
    isRunning && waitingPlatform({ ...release, destinations: release.destinations.slice(0, 1) }) !== undefined;
  const checked = isRollBack ? 'done' : stateOf(checking);
  return [
    { name: 'sending', state: isYours ? 'yours' : isBegun ? 'running' : sent, steps: sending, isRollBack: false },
    { name: 'checking', state: checked, steps: isRollBack ? [] : checking, isRollBack: false },
    {
      name: 'switching',
      state: isRollBack ? stateOf(checking) : switched(release.state, checked),
      steps: isRollBack ? checking : [],
      isRollBack,
    },
  ];
}

function switched(release: ReleaseState, checked: StepState): StepState {
  if (release === 'live' || release === 'superseded') return 'done';
  return checked === 'done' && isRunningReleaseState(release) ? 'running' : 'waiting';
}

/** Returns the joint state of several steps: the most telling one. */
export function stateOf(steps: readonly { state: StepState }[]): StepState {
  const isAny = (state: StepState) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
