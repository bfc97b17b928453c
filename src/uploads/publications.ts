import type { Release } from '../../routers/schemas/releases.ts';
import { useIsOnline } from '../lib/browser/use-is-online.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { UploadProgress, UploadResult } from './publish.ts';
import type { Extent, Selection } from './selection/selection.ts';

/** A request by a screen to publish a selection on a deployment. */
export type PublicationRequest = {
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
export type Publication = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  selection: Selection;
  /** The size of the published part of the selection. */
  extent: Extent;
  /** True when the deployment was made for this selection, so that cancelling may remove it again. */
  isNew: boolean;
  /** True when an earlier page chose it, whose files this browser stores until the publication ends. */
  isRestored: boolean;
  /** `unchanged`: the release would equal the live one, so that none is made unless the person asks for it. */
  state: 'sending' | 'creating' | 'done' | 'failed' | 'cancelled' | 'unchanged';
  progress: UploadProgress | null;
  result: UploadResult | null;
  release: Release | null;
  failure: PublicationFailure | null;
  control: PublicationControl;
};

export type PublicationFailure = {
  message: string;
  hint: string | undefined;
  isSelectionNeeded: boolean;
  /** True when nobody answered, so that another attempt is worthwhile once the browser is online again. */
  isUnanswered: boolean;
  /** True when the login ended; the publication continues by itself when the same account is back. */
  isSignedOut: boolean;
  /** True when the deployment was deleted meanwhile, so that nothing can be published on it any more. */
  isDeploymentGone: boolean;
  /** True when the platform rejects the connection, so that another attempt is useless until that is repaired. */
  isConnectionLost: boolean;
};

/** Actions that a screen can request from the publisher. */
export type PublicationControl = {
  /** Continues where it stopped: files that have arrived are not sent again. */
  retry(): Promise<Publication>;
  /** Makes the release although nothing has changed. */
  publishUnchanged(): Promise<Publication>;
  cancel(): void;
  /** Removes a publication from the list, once its outcome was seen. */
  forget(): void;
};

/** All publications of this page, including those that ended and were not seen yet; one for each deployment. */
export const publications = createStore<readonly Publication[]>([]);

/** Returns whether this page still has something to do for a publication. */
export function isUnderWay({ state }: Publication): boolean {
  return state === 'sending' || state === 'creating';
}

/** Returns whether a publication has ended without a release, so that the page shows what is live as always. */
export function isOver({ state }: Publication): boolean {
  return state === 'cancelled' || state === 'unchanged';
}

/** Forgets that nothing had changed, once the page that says so is left. */
export function leaveUnchanged(deploymentId: string): void {
  for (const { state, control, deploymentId: id } of publications.get()) {
    if (id === deploymentId && state === 'unchanged') control.forget();
  }
}

/** Returns all publications of this page. */
export function usePublications(): readonly Publication[] {
  return useStore(publications);
}

/** Returns the publication of a deployment, or null: there is one at a time. */
export function usePublication(deploymentId: string): Publication | null {
  return useStore(publications, (all) => all.find((publication) => publication.deploymentId === deploymentId) ?? null);
}

/** Returns whether a publication is under way and waits for the network. */
export function useIsWaiting(publication: Publication): boolean {
  const isOnline = useIsOnline();
  return isUnderWay(publication) && (publication.progress?.isWaiting === true || !isOnline);
}
