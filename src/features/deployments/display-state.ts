import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { DisplayState } from '../../components/state-badge.tsx';

/** A live deployment that may not be changed says so: that it is live shows in its address. */
export function deploymentDisplayState({ state }: Pick<Deployment, 'state'>, isReadOnly: boolean): DisplayState {
  return isReadOnly && state === 'live' ? 'read-only' : state;
}
