import type { Release } from '../../routers/schemas/releases.ts';
import { createStore, useStore } from '../lib/store.ts';
import { useIsOnline } from '../lib/use-is-online.ts';
import type { UploadProgress, UploadResult } from './publish.ts';
import type { Extent, Selection } from './selection.ts';

/** What a screen asks to have published, and on which deployment. */
export type PublicationRequest = {
  deployment: { id: string; name: string; url: string };
  selection: Selection;
  /** Paths that would be left out by default and that the person chose to publish. */
  publishAnyway: readonly string[];
  /** The deployment was made for this selection: cancelling may take it away again. */
  isNew: boolean;
};

/** A selection on its way to become a release: it lives in the page, across screens, until the server has it all. */
export type Publication = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  selection: Selection;
  /** What is published of the selection. */
  extent: Extent;
  /** The deployment was made for this selection: cancelling may take it away again. */
  isNew: boolean;
  /** An earlier page chose it: this browser stores its files until the publication ends. */
  isRestored: boolean;
  state: 'sending' | 'creating' | 'done' | 'failed' | 'cancelled';
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
  /** Nobody answered: worth another attempt as soon as the browser is online again. */
  isUnanswered: boolean;
  /** It would be the release that is live once more: for the person to decide. */
  isUnchanged: boolean;
  /** The login ended: it goes on by itself when the same account is back. */
  isSignedOut: boolean;
  /** The deployment was deleted meanwhile: nothing can be published on it any more. */
  isDeploymentGone: boolean;
  /** The platform does not accept what it is published by: another attempt is worth nothing before that is mended. */
  isConnectionLost: boolean;
};

/** What a screen may ask of the publisher. */
export type PublicationControl = {
  /** Goes on where it stopped: what arrived is not sent again. */
  retry(): Promise<Publication>;
  /** Makes the release that nothing is new in. */
  publishUnchanged(): Promise<Publication>;
  cancel(): void;
  /** Takes a publication off the list, once its outcome was seen. */
  forget(): void;
};

/** All publications of this page, those that ended and were not looked at yet included; one a deployment. */
export const publications = createStore<readonly Publication[]>([]);

/** Tells whether this page still has something to do for a publication. */
export function isUnderWay({ state }: Publication): boolean {
  return state === 'sending' || state === 'creating';
}

/** Gives all publications of this page. */
export function usePublications(): readonly Publication[] {
  return useStore(publications);
}

/** Gives the publication of a deployment, or null: there is one at a time. */
export function usePublication(deploymentId: string): Publication | null {
  return useStore(publications, (all) => all.find((publication) => publication.deploymentId === deploymentId) ?? null);
}

/** Tells whether a publication is under way, and nothing goes on until there is a network. */
export function useIsWaiting(publication: Publication): boolean {
  const isOnline = useIsOnline();
  return isUnderWay(publication) && (publication.progress?.isWaiting === true || !isOnline);
}
