import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DisplayState } from '../../components/states/state-badge.tsx';
import { lostAtPrimary } from '../../lib/lost-at-primary.ts';
import { shownState } from '../../lib/waiting.ts';

/**
 * Returns the state to show. A live deployment that may not or cannot be changed shows that: its address shows that it
 * is live.
 */
export function deploymentDisplayState(
  deployment: Pick<Deployment, 'state' | 'destinations' | 'lostConnections'>,
  isReadOnly: boolean,
): DisplayState {
  const { state } = deployment;
  if (isReadOnly && state === 'live') return 'read-only';
  const isIdle = state === 'live' || state === 'draft';
  return isIdle && lostAtPrimary(deployment) !== undefined ? 'not-connected' : shownState(deployment);
}
