import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Release, ReleaseStep } from '../../../../routers/schemas/releases.ts';
import { isRunningReleaseState, type ReleaseState } from '../../../../routers/schemas/state-names.ts';
import type { StepState } from '../../../../routers/schemas/states.ts';
import type { ShownStepState } from '../../../components/page/stepper.tsx';
import { primaryOf } from '../../../lib/primary-destination.ts';
import { isRollBackStep } from '../../../lib/roll-back.ts';
import { shownState } from '../../../lib/waiting.ts';
import { tookText } from '../release-labels.ts';
import type { StepGroupName } from '../step-titles.ts';

export type StepGroup = {
  name: StepGroupName;
  state: ShownStepState;
  /** The server's steps in this part. */
  steps: readonly ReleaseStep[];
  /** The lines of its steps. */
  log: ReleaseStep['log'];
  isRollBack: boolean;
};

export type Run = {
  state: ReleaseState;
  /** False on a platform whose turn has not come; else the state tells. */
  isRunning?: boolean;
  /** Absent where the files come from the server and not from a page. */
  source?: Release['source'];
  finishedAt: Date | null;
  steps: readonly ReleaseStep[];
  primaryId: string;
  destinations: readonly Destination[];
};

/** Returns the parts of a release. A rollback only repeats the switch: the other steps are from the first time. */
export function stepGroupsOf(release: Run): StepGroup[] {
  const sending = release.steps.filter(({ name }) => name !== 'verifying');
  const checking = release.steps.filter(({ name }) => name === 'verifying');
  const isRollBack = checking.some((step) => isRollBackStep(step, release));
  const { isRunning = isRunningReleaseState(release.state) } = release;
  const sent = stateOf(sending);
  // A part that this page has begun does not wait again until the server begins.
  const isBegun = sent === 'waiting' && isRunning;
  const isYours = isRunning && shownState(release) === 'waiting';
  const checked = isRollBack ? 'done' : stateOf(checking);
  // A rollback writes into the step of the first check: the time of a line tells which of them it is from.
  const { finishedAt } = release;
  const checkLog = checking.flatMap(({ log }) =>
    isRollBack ? log.filter(({ at }) => finishedAt !== null && at <= finishedAt) : log,
  );
  const switchLog = checking.flatMap(({ log, startedAt }) =>
    log.filter(({ at }) => isRollBack && startedAt !== null && at >= startedAt),
  );
  return [
    {
      name: 'sending',
      state: isYours ? 'yours' : isBegun ? 'running' : sent,
      ...{ steps: sending, log: sending.flatMap(({ log }) => log), isRollBack: false },
    },
    { name: 'checking', state: checked, steps: isRollBack ? [] : checking, log: checkLog, isRollBack: false },
    {
      name: 'switching',
      state: isRollBack ? stateOf(checking) : switched(release.state, checked, isRunning),
      steps: isRollBack ? checking : [],
      log: switchLog,
      isRollBack,
    },
  ];
}

function switched(release: ReleaseState, checked: StepState, isRunning: boolean): StepState {
  if (release === 'live' || release === 'superseded') return 'done';
  return checked === 'done' && isRunning ? 'running' : 'waiting';
}

/** Returns the duration of a part of a release so far; null where nobody noted it. */
export function tookOf({ name, state, steps }: StepGroup, release: Run, now: Date): string | null {
  if (state === 'yours') return null;
  const isSentHere = wasSentHere(release);
  // Nobody noted how long that took, and it is no part of the release's time.
  if (name === 'sending' && isSentHere) return null;
  if (name === 'switching' && steps.length === 0) return switchTook(release);
  const isChecking = name === 'checking' && startOf(steps) !== null;
  // Between the sending and the check, Fairlead's own host only reads the files.
  const startedAt = startOf(isChecking && isSentHere ? release.steps : steps);
  return tookText(startedAt, state === 'running' ? null : endOf(steps), now);
}

function startOf(steps: readonly ReleaseStep[]): Date | null {
  return steps.find(({ startedAt }) => startedAt !== null)?.startedAt ?? null;
}

/** Returns whether a page or a script sent the files to the host itself, before the first step began. */
export function wasSentHere(release: Run): boolean {
  if (release.source === undefined || release.source === 'retry') return false;
  const primary = primaryOf(release);
  return primary === undefined || PLATFORMS[primary.platform].isServedHere === true;
}

/**
 * Returns the duration of the switch. The first time it is no step of its own: it is the time between the last check
 * and the end.
 */
function switchTook({ state, steps, finishedAt }: Run): string | null {
  const isOn = state === 'live' || state === 'superseded';
  return isOn && finishedAt !== null
    ? tookText(endOf(steps.filter(({ name }) => name === 'verifying')), finishedAt, finishedAt)
    : null;
}

/** Returns when the last of several steps ended. */
export function endOf(steps: readonly ReleaseStep[]): Date | null {
  return steps.findLast(({ endedAt }) => endedAt !== null)?.endedAt ?? null;
}

/** Returns the joint state of several steps: the most telling one. */
export function stateOf(steps: readonly { state: StepState }[]): StepState {
  const isAny = (state: StepState) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
