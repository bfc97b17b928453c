import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import type { ReleaseStep } from '../../../../routers/schemas/releases.ts';
import { isRunningReleaseState, type ReleaseState } from '../../../../routers/schemas/state-names.ts';
import type { StepState } from '../../../../routers/schemas/states.ts';
import type { ShownStepState } from '../../../components/page/stepper.tsx';
import { isRollBackStep } from '../../../lib/roll-back.ts';
import { waitingPlatform } from '../../../lib/waiting.ts';
import type { PartName } from '../step-titles.ts';

export type ReleasePart = {
  name: PartName;
  state: ShownStepState;
  /** The server's steps in this part. */
  steps: readonly ReleaseStep[];
  isRollBack: boolean;
};

export type Run = {
  state: ReleaseState;
  /** False on a platform whose turn has not come; else the state tells. */
  isRunning?: boolean;
  finishedAt: Date | null;
  steps: readonly ReleaseStep[];
  destinations: readonly Destination[];
};

/** Returns the parts of a release. A rollback only repeats the switch: the other steps are from the first time. */
export function releaseParts(release: Run): ReleasePart[] {
  const sending = release.steps.filter(({ name }) => name !== 'verifying');
  const checking = release.steps.filter(({ name }) => name === 'verifying');
  const isRollBack = checking.some((step) => isRollBackStep(step, release));
  const { isRunning = isRunningReleaseState(release.state) } = release;
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
      state: isRollBack ? stateOf(checking) : switched(release.state, checked, isRunning),
      steps: isRollBack ? checking : [],
      isRollBack,
    },
  ];
}

function switched(release: ReleaseState, checked: StepState, isRunning: boolean): StepState {
  if (release === 'live' || release === 'superseded') return 'done';
  return checked === 'done' && isRunning ? 'running' : 'waiting';
}

/** Returns the joint state of several steps: the most telling one. */
export function stateOf(steps: readonly { state: StepState }[]): StepState {
  const isAny = (state: StepState) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
