import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DisplayState } from '../../components/state-badge.tsx';
import { shownState } from '../../lib/waiting.ts';

/** A live deployment that may not be changed says so: that it is live shows in its address. */
export function deploymentDisplayState(deployment: Deployment, isReadOnly: boolean): DisplayState {
  return isReadOnly && deployment.state === 'live' ? 'read-only' : shownState(deployment);
}
