import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DisplayState } from '../../components/states/state-badge.tsx';
import { lostAtPrimary } from '../../lib/primary-place.ts';
import { shownState } from '../../lib/waiting.ts';

/**
 * Returns the state to show. A deployment that may not or cannot be changed shows that: the address shows whether it is
 * live.
 */
export function deploymentDisplayState(
  deployment: Pick<Deployment, 'state' | 'primaryId' | 'destinations' | 'lostConnections'>,
  isReadOnly: boolean,
): DisplayState {
  const { state } = deployment;
  if (isReadOnly && state === 'live') return 'read-only';
  return state !== 'deploying' && lostAtPrimary(deployment) !== undefined ? 'not-connected' : shownState(deployment);
}
