import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DisplayState } from '../../components/states/state-badge.tsx';
import { lostAtPrimary } from '../../lib/primary-destination.ts';
import { isRollingBack } from '../../lib/roll-back.ts';
import { shownState } from '../../lib/waiting.ts';
import { useIsSent } from '../../uploads/other-tabs/sent-elsewhere.ts';

/**
 * Returns the state to show. A deployment that may not or cannot be changed shows that: the address shows whether it is
 * live.
 */
export function deploymentDisplayState(
  deployment: Pick<Deployment, 'state' | 'primaryId' | 'destinations' | 'lostConnections' | 'latestRelease'>,
  isReadOnly: boolean,
): DisplayState {
  const { state, latestRelease } = deployment;
  if (isReadOnly && state === 'live') return 'read-only';
  if (state !== 'deploying') return lostAtPrimary(deployment) ? 'not-connected' : shownState(deployment);
  return latestRelease && isRollingBack(latestRelease) ? 'switching' : shownState(deployment);
}

/** Returns the same where it is followed: files that a page of this browser sends come first. */
export function useDisplayState(deployment: Deployment, isReadOnly: boolean): DisplayState {
  const isSent = useIsSent(deployment.id) && deployment.state !== 'deleting';
  return isSent ? 'sending' : deploymentDisplayState(deployment, isReadOnly);
}
