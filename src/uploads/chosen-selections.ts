import { isSignedOut, session } from '../api/session/session.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Selection } from './selection/selection.ts';
import { afterAccountChange, shownTo, type Waiting } from './waiting-selection.ts';

/**
 * Selections that were chosen and are not published yet, by the deployment's id. They outlive their page, so that
 * nobody loses the chosen files when a login ends or the deployment is deleted elsewhere.
 */
const chosen = createStore<ReadonlyMap<string, Waiting>>(new Map());
let isFollowing = false;

/** Sets the selection chosen for a deployment; null removes it. */
export function setChosen(deploymentId: string, selection: Selection | null): void {
  followSession();
  const others = [...chosen.get()].filter(([id]) => id !== deploymentId);
  const own: [string, Waiting][] =
    selection === null ? [] : [[deploymentId, { selection, owner: session.accountId() }]];
  chosen.set(new Map([...others, ...own]));
}

/** Returns the selection chosen for a deployment, or null; a session that ended hides it until its account is back. */
export function useChosen(deploymentId: string): Selection | null {
  return useStore(chosen, (all) => {
    const own = all.get(deploymentId);
    return own === undefined ? null : shownTo(own, session.accountId());
  });
}

/** Forgets the chosen selection when its page is left, unless its owner was sent away from it to log in again. */
export function leaveChosen(deploymentId: string): void {
  if (session.accountId() !== null) setChosen(deploymentId, null);
}

function followSession(): void {
  if (isFollowing) return;
  isFollowing = true;
  session.onAccountChange(() => {
    const after = [...chosen.get()].map(
      ([id, own]) => [id, afterAccountChange(own, session.accountId(), isSignedOut())] as const,
    );
    chosen.set(new Map(after.filter(([, { selection }]) => selection !== null)));
  });
}
