import { useSyncExternalStore } from 'react';
import type { Release } from '../../routers/schemas/releases.ts';
import { useIsOnline } from '../lib/use-is-online.ts';
import type { Hasher, Load, UploadProgress, UploadResult } from './upload.ts';
import type { Picked } from './upload-picks.ts';
import type { Carrier } from './upload-send.ts';

export type PublicationState = 'sending' | 'creating' | 'done' | 'failed' | 'cancelled';
/** A folder on its way to become a release: it lives in the page, across screens, until the server has it all. */
export type Publication = {
  deploymentId: string;
  deploymentName: string;
  url: string;
  folder: Picked;
  /** The deployment was made for this folder: cancelling may take it away again. */
  isNew: boolean;
  isFromCopy: boolean;
  state: PublicationState;
  progress: UploadProgress | null;
  result: UploadResult | null;
  release: Release | null;
  failure: PublicationFailure | null;
};

export type PublicationFailure = {
  message: string;
  hint: string | undefined;
  isFolderNeeded: boolean;
  /** Nobody answered: worth another attempt as soon as the browser is online again. */
  isUnanswered: boolean;
  /** It would be the release that is live once more: for the person to decide. */
  isUnchanged: boolean;
};

/** What a publication asks the server, besides the files themselves. */
export type PublicationDoors = {
  prepare(input: { deploymentId: string }): Promise<{ uploadId: string }>;
  /** `isRepeated`: the question before this one got no answer, and may have been heard all the same. */
  createRelease(
    input: { deploymentId: string; uploadId: string; ifChanged: boolean },
    isRepeated: boolean,
  ): Promise<Release>;
  carrier: Carrier;
  hasher: Hasher;
  /** Told what a reload would have to know to go on. */
  onProgress?(stored: StoredProgress): void;
  /** Told once it is over: a release was made, or nobody wants it any more. */
  onEnd?(): void;
};

export type StoredProgress = {
  /** Null until the server has opened one. */
  uploadId: string | null;
  /** Everything has arrived: a release of it is all that is left. */
  isSent: boolean;
  /** All that has to be sent; null until the server has said what is missing. */
  load: Load | null;
};

export type PublicationRequest = {
  deployment: { id: string; name: string; url: string };
  folder: Picked;
  publishAnyway: readonly string[];
  isNew: boolean;
  /** An earlier page chose it: its files are read from the copy that was kept, which ends with the publication. */
  isFromCopy?: boolean;
};

export type Run = {
  request: PublicationRequest;
  doors: PublicationDoors;
  cancel: AbortController;
  stored: StoredProgress;
  /** An earlier page began it: a release may have been made of it already. */
  isResumed: boolean;
  /** Its owner wants it though nothing changed. */
  isWantedUnchanged: boolean;
};

/** Why a run was stopped that nobody wants any more. */
const CANCELLED = new DOMException('Cancelled', 'AbortError');

/** What is known about folders on their way, without the code that sends them. */
const publications = new Map<string, Publication>();
export const runs = new Map<string, Run>();
const listeners = new Set<() => void>();
let snapshot: readonly Publication[] = [];
let announcement: ReturnType<typeof setTimeout> | undefined;

/** Takes the place of whatever was on its way to the same deployment. */
export function beginRun(run: Run): void {
  const { id } = run.request.deployment;
  runs.get(id)?.cancel.abort(CANCELLED);
  runs.set(id, run);
  publications.delete(id);
  change(run, {});
}

/** Ends it where it stands; none on its way is no error. */
export function cancelPublication(deploymentId: string): void {
  const run = runs.get(deploymentId);
  run?.cancel.abort(CANCELLED);
  // What has stopped hears nothing of it, and would be gone on with after a reload.
  if (run !== undefined && publicationOf(deploymentId)?.state === 'failed') run.doors.onEnd?.();
}

/** Ends and forgets all: somebody else is signed in now. */
export function cancelAllPublications(): void {
  for (const [deploymentId, run] of runs) {
    run.cancel.abort(CANCELLED);
    forgetPublication(deploymentId);
  }
}

/** Its outcome was seen: it leaves the lists. */
export function forgetPublication(deploymentId: string): void {
  runs.delete(deploymentId);
  if (publications.delete(deploymentId)) announce();
}

/** Something is on its way from this page: closing it could lose the rest. */
export function isPublishing(): boolean {
  return snapshot.some(isUnderWay);
}

/** This page has something to do for it still. */
export function isUnderWay({ state }: Publication): boolean {
  return state === 'sending' || state === 'creating';
}

/** It is under way, and nothing goes on until there is a network. */
export function useIsWaiting(publication: Publication): boolean {
  const isOnline = useIsOnline();
  return isUnderWay(publication) && (publication.progress?.isWaiting === true || !isOnline);
}

export function subscribePublications(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The same array until something changes. */
export function listPublications(): readonly Publication[] {
  return snapshot;
}

/** All of this page, those that ended and were not looked at yet included. */
export function usePublications(): readonly Publication[] {
  return useSyncExternalStore(subscribePublications, listPublications);
}

/** The one of a deployment, or null: there is one at a time. */
export function usePublication(deploymentId: string): Publication | null {
  return useSyncExternalStore(subscribePublications, () => publicationOf(deploymentId));
}

/** The one way in which a publication changes; progress tells its listeners at most once a pause. */
export function change(run: Run, fields: Partial<Publication>, pauseMs = 0): Publication {
  const { id, name, url } = run.request.deployment;
  const after: Publication = {
    ...(publications.get(id) ?? {
      deploymentId: id,
      deploymentName: name,
      url,
      folder: run.request.folder,
      isNew: run.request.isNew,
      isFromCopy: run.request.isFromCopy === true,
      state: 'sending',
      progress: null,
      result: null,
      release: null,
      failure: null,
    }),
    ...fields,
  };
  // A run that another one replaced, or that was forgotten, tells nobody.
  if (runs.get(id) === run) {
    publications.set(id, after);
    if (pauseMs === 0) announce();
    else announcement ??= setTimeout(announce, pauseMs);
  }
  return after;
}

function announce(): void {
  clearTimeout(announcement);
  announcement = undefined;
  snapshot = [...publications.values()];
  for (const listener of listeners) listener();
}

/** The same outside of a component. */
export function publicationOf(deploymentId: string): Publication | null {
  return publications.get(deploymentId) ?? null;
}
