import type { ReleaseStepName } from '../../../routers/schemas/states.ts';
import type { ShownStepState } from '../../components/page/stepper.tsx';
import { WAITING_FOR_YOU } from '../../components/states/waiting-for-you.ts';

/** The words for the steps of a release: three parts, of which the server's steps are details. */

type Titles = { waiting: string; running: string; done: string };

/**
 * A part of the way from Publish to live, wherever it is shown. It spans this page's work and several steps of the
 * server: sending files here, and on to a platform, is one thing to a person who waits.
 */
export type StepGroupName = 'sending' | 'checking' | 'switching';

const PART_TITLES: Record<StepGroupName, Titles> = {
  sending: { waiting: 'Send', running: 'Sending', done: 'Sent' },
  checking: { waiting: 'Check', running: 'Checking', done: 'Checked' },
  switching: { waiting: 'Switch on', running: 'Switching on', done: 'Switched on' },
};

/** The words for parts that are still to come. */
export const PART_TEXTS: Record<StepGroupName, string> = {
  sending: 'Your files go to the host',
  checking: 'New and changed files are compared',
  switching: 'Visitors will see this release',
};

/** The words for each step of the server while it counts nothing there. */
export const STEP_TEXTS: Record<ReleaseStepName, string> = {
  preparing: 'Preparing the files',
  uploading: PART_TEXTS.sending,
  processing: 'The host puts the files in place',
  verifying: PART_TEXTS.checking,
};

/** A rollback only repeats part of the last step: the other steps are from the first time. */
const ROLL_BACK_TITLES: Titles = {
  waiting: 'Switching back to this release',
  running: 'Switching back to this release',
  done: 'Switched back to this release',
};

export function partTitle(name: StepGroupName, state: ShownStepState, isRollBack = false): string {
  return state === 'yours' ? WAITING_FOR_YOU : titleIn(state, isRollBack ? ROLL_BACK_TITLES : PART_TITLES[name]);
}

/** Returns the title of the part that a running step of the server belongs to. */
export function runningTitle(name: ReleaseStepName, isRollBack = false): string {
  return partTitle(name === 'verifying' ? 'checking' : 'sending', 'running', isRollBack);
}

function titleIn(state: ShownStepState, titles: Titles): string {
  return titles[state === 'done' || state === 'running' ? state : 'waiting'];
}
