import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { Destination } from '../../routers/schemas/platforms/destination.ts';
import {
  isRunningReleaseState,
  type ReleaseState,
  type RunningReleaseState,
  STATES_THAT_WAIT,
} from '../../routers/schemas/state-names.ts';
import { primaryOf } from './primary-destination.ts';

type UploadStart = { hasStartPage: boolean; needsBuild?: boolean };
type Waiting = { state: string; destinations: readonly Destination[] };
type Shown = Waiting & { primaryId: string };

/** Returns the platform where the person has to finish a deployment or a release; undefined for one that is over. */
export function waitingPlatform({ state, destinations }: Waiting): Destination | undefined {
  return state === 'live' || mayWait(state) ? destinations.find((one) => one.state === 'waiting') : undefined;
}

/** Returns the state that a list shows. */
export function shownState<State extends string>(shown: Shown & { state: State }): State | 'waiting' {
  return mayWait(shown.state) && primaryOf(shown)?.state === 'waiting' ? 'waiting' : shown.state;
}

/** Returns whether visitors miss the start page, or files that it uses, or the build that it needs. */
export function lacksFiles({ hasStartPage, needsBuild }: UploadStart, missingFiles = 0): boolean {
  return !hasStartPage || !!needsBuild || missingFiles > 0;
}

function mayWait(state: string): boolean {
  return (STATES_THAT_WAIT as readonly string[]).includes(state);
}

export type ShownReleaseState = Exclude<ReleaseState, RunningReleaseState> | 'waiting' | 'publishing';

/** The states by which a history can be limited; `rolled_back`: its rollbacks. */
export type ShownHistoryState = ShownReleaseState | 'rolled_back';

/** Returns the state of a release that its page and the lists show: which step it is at is told by its steps. */
export function shownReleaseState(release: Shown & { state: ReleaseState }): ShownReleaseState {
  const state = shownState(release);
  return state !== 'waiting' && isRunningReleaseState(state) ? 'publishing' : state;
}

/** Returns the number of the release that waits: at the primary platform the newest, at another one the live one. */
export function waitingNumber(deployment: Deployment): number | null {
  const waiting = waitingPlatform(deployment);
  if (waiting === undefined) return null;
  const { primaryId, latestRelease, currentRelease } = deployment;
  return (waiting.id === primaryId ? latestRelease : currentRelease)?.number ?? null;
}
