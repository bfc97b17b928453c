import type { Release } from '../../../routers/schemas/releases.ts';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { isRollingBack } from '../../lib/roll-back.ts';
import { shownReleaseState } from '../../lib/waiting.ts';
import type { Sending } from '../../uploads/sendings.ts';

/** Shows the state of a release, the same in the head of its page and in the lists. */
export function ReleaseBadge({ release }: { release: Release }) {
  if (isRollingBack(release)) return <StateBadge state="switching" />;
  return <StateBadge state={shownReleaseState(release)} />;
}

/** Shows the same from the first sent file on. */
export function SendingBadge({ sending }: { sending: Pick<Sending, 'failure'> }) {
  return <StateBadge state={hasStopped(sending) ? 'failed' : 'publishing'} />;
}

/** Returns whether the sending waits for the person: after a login it continues by itself. */
export function hasStopped({ failure }: Pick<Sending, 'failure'>): boolean {
  return failure !== null && !failure.isSignedOut;
}
