import { Ban, Check, CircleDashed, CircleX, Hand, History, LoaderCircle, Lock, Unplug } from 'lucide-react';
import type { DeploymentState } from '../../../routers/schemas/state-names.ts';
import type { ShownReleaseState } from '../../lib/waiting.ts';
import { Badge, type BadgeLook } from '../badge.tsx';
import { WAITING_FOR_YOU } from './waiting-for-you.ts';

/**
 * Six words are not stored states: a deployment is `sending` while this browser sends files to it, `read-only` while no
 * plan is active, and `not-connected` while a platform refuses its connection; a release is `publishing` until it is
 * over; either is `switching` during a rollback, and `waiting` while a platform waits for the person, unless it is live
 * at the primary one and waits elsewhere.
 */
export type DisplayState =
  | DeploymentState
  | ShownReleaseState
  | 'read-only'
  | 'not-connected'
  | 'switching'
  | 'sending';

const RUNNING = { tone: 'accent', icon: LoaderCircle, isRunning: true } as const;

const looks: Record<DisplayState, BadgeLook> = {
  draft: { tone: 'unknown', icon: CircleDashed, word: 'Draft' },
  deploying: { ...RUNNING, word: 'Publishing' },
  sending: { ...RUNNING, word: 'Sending' },
  live: { tone: 'good', icon: Check, word: 'Live' },
  failed: { tone: 'bad', icon: CircleX, word: 'Failed' },
  deleting: { ...RUNNING, tone: 'unknown', word: 'Deleting' },
  publishing: { ...RUNNING, word: 'Publishing' },
  switching: { ...RUNNING, word: 'Switching' },
  superseded: { tone: 'unknown', icon: History, word: 'Replaced' },
  cancelled: { tone: 'unknown', icon: Ban, word: 'Cancelled' },
  waiting: { tone: 'warn', icon: Hand, word: WAITING_FOR_YOU },
  'read-only': { tone: 'unknown', icon: Lock, word: 'Read-only' },
  'not-connected': { tone: 'warn', icon: Unplug, word: 'Not connected' },
};

/** Returns the word of a state, the same in its badge and in the filter of a list. */
export function stateLabel(state: DisplayState): string {
  return looks[state].word;
}

export function StateBadge({ state }: { state: DisplayState }) {
  const { tone, icon, word, isRunning } = looks[state];
  return (
    <Badge tone={tone} icon={icon} isRunning={isRunning}>
      {word}
    </Badge>
  );
}
