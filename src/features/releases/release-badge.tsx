import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { isRollingBack } from '../../lib/roll-back.ts';
import { shownState } from '../../lib/waiting.ts';
import type { Publication } from '../../uploads/publications.ts';
import { RollBackBadge } from './history/roll-back-badge.tsx';

/** Shows the state of a release in the head of its page: until it is over it is being published. */
export function ReleaseBadge({ release }: { release: ReleaseDetail }) {
  if (isRollingBack(release)) return <RollBackBadge state="running" />;
  const state = shownState(release);
  return <StateBadge state={state !== 'waiting' && isRunningReleaseState(state) ? 'publishing' : state} />;
}

/** Shows the same from the first sent file on. */
export function SendingBadge({ publication }: { publication: Pick<Publication, 'failure'> }) {
  return <StateBadge state={hasStopped(publication) ? 'failed' : 'publishing'} />;
}

/** Returns whether the sending waits for the person: after a login it continues by itself. */
export function hasStopped({ failure }: Pick<Publication, 'failure'>): boolean {
  return failure !== null && !failure.isSignedOut;
}
