import type { Step } from '../../components/stepper.tsx';
import { useReleaseRows } from './release-steps.tsx';
import { SENT_STEPS, sendingSteps } from './sending-panel.tsx';
import type { Followed } from './use-followed.ts';

/** From the first file to the last look in one list: what this page does, then what the server does. */
export function useFollowedRows(followed: Followed): Step[] {
  const ofRelease = useReleaseRows(followed.stage === 'release' ? followed.release : NOT_YET);
  if (followed.stage === 'sending') return sendingSteps(followed.publication);
  return followed.stage === 'release' ? [...SENT_STEPS, ...ofRelease] : [];
}

const NOT_YET = { steps: [], state: 'queued', finishedAt: null } as const;
