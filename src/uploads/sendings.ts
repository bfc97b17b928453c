import type { Release } from '../../routers/schemas/releases.ts';
import { useIsOnline } from '../lib/browser/use-is-online.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { UploadProgress, UploadResult } from './publish.ts';
import type { Extent, Selection } from './selection/selection.ts';

/** A request by a screen to publish a selection on a deployment. */
export type SendingRequest = {
  deployment: { id: string; name: string; url: string };
  selection: Selection;
  /** Paths that would be left out by default and that the person chose to publish. */
  publishAnyway: readonly string[];
  /** True when the deployment was made for this selection, so that cancelling may remove it again. */
  isNew: boolean;
  /** True when the person wants a release although no file changed. */
  isUnchangedWanted?: boolean;
};

/** A selection on its way to become a release. It lives in the page, across screens, until the server has all of it. */
export type Sending = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  selection: Selection;
  /** The size of the published part of the selection. */
  extent: Extent;
  /** True when the deployment was made for this selection, so that cancelling may remove it again. */
  isNew: boolean;
  /** True when an earlier page chose it, whose files this browser stores until the sending ends. */
  isRestored: boolean;
  /** `unchanged`: the release would equal the live one, so that none is made unless the person asks for it. */
  state: 'sending' | 'creating' | 'done' | 'failed' | 'cancelled' | 'unchanged';
  progress: UploadProgress | null;
  result: UploadResult | null;
  release: Release | null;
  failure: SendingFailure | null;
  control: SendingControl;
};

export type SendingFailure = {
  message: string;
  hint: string | undefined;
  isSelectionNeeded: boolean;
  /** True when nobody answered, so that another attempt is worthwhile once the browser is online again. */
  isUnanswered: boolean;
  /** True when the login ended; the sending continues by itself when the same account is back. */
  isSignedOut: boolean;
  /** True when the deployment was deleted meanwhile, so that nothing can be published on it any more. */
  isDeploymentGone: boolean;
  /** True when the platform rejects the connection, so that another attempt is useless until that is repaired. */
  isConnectionLost: boolean;
};

/** Actions that a screen can request from the publisher. */
export type SendingControl = {
  /** Continues where it stopped: files that have arrived are not sent again. */
  retry(): Promise<Sending>;
  /** Makes the release although nothing has changed. */
  publishUnchanged(): Promise<Sending>;
  cancel(): void;
  /** Removes a sending from the list, once its outcome was seen. */
  forget(): void;
};

/** All sendings of this page, including those that ended and were not seen yet; one for each deployment. */
export const sendings = createStore<readonly Sending[]>([]);

/** Returns whether this page still has something to do for a sending. */
export function isUnderWay({ state }: Sending): boolean {
  return state === 'sending' || state === 'creating';
}

/** Returns whether a sending has ended without a release, so that the page shows what is live as always. */
export function isOver({ state }: Sending): boolean {
  return state === 'cancelled' || state === 'unchanged';
}

/** Forgets that nothing had changed, once the page that says so is left. */
export function leaveUnchanged(deploymentId: string): void {
  for (const { state, control, deploymentId: id } of sendings.get()) {
    if (id === deploymentId && state === 'unchanged') control.forget();
  }
}

/** Returns all sendings of this page. */
export function useSendings(): readonly Sending[] {
  return useStore(sendings);
}

/** Returns the sending of a deployment, or null: there is one at a time. */
export function useSending(deploymentId: string): Sending | null {
  return useStore(sendings, (all) => all.find((sending) => sending.deploymentId === deploymentId) ?? null);
}

/** Returns whether a sending is under way and waits for the network. */
export function useIsWaiting(sending: Sending): boolean {
  const isOnline = useIsOnline();
  return isUnderWay(sending) && (sending.progress?.isWaiting === true || !isOnline);
}
