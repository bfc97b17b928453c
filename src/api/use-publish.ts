import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { showToast } from '../components/toast-store.ts';
import { later, useWhenIdle } from '../lib/later.ts';
import { hasUploadRecords } from '../lib/storage.ts';
import { errorToast } from './errors.ts';
import type { PublicationRequest } from './publication-store.ts';
import { trpc } from './trpc.ts';
import './upload-follow.ts';
import { useUser } from './user.ts';

/** The upload, its hashing and its repeats: no screen needs them before somebody publishes. */
const publishing = later(() => import('./publish.ts'));

/** Starts to publish; `onStart` runs in the same step, so that a screen follows without a moment between. */
export function usePublish(): (request: PublicationRequest, onStart?: () => void) => Promise<void> {
  const utils = trpc.useUtils();
  useWhenIdle(publishing.fetch);
  return useCallback(
    async (request, onStart) => {
      try {
        const { publish } = await publishing.fetch();
        onStart?.();
        await publish(utils, request);
      } catch (cause) {
        showToast(errorToast('Could not publish', cause));
      }
    },
    [utils],
  );
}

/** Goes on with what a reload interrupted, as soon as its owner is here. */
export function useResumedPublications(): void {
  const utils = trpc.useUtils();
  const { user } = useUser();
  const accountId = user?.id ?? null;
  useEffect(() => {
    if (accountId === null) return;
    if (!hasUploadRecords()) return endResuming();
    publishing
      .fetch()
      .then(({ resumePublications }) => resumePublications(utils))
      // What is left stays for the next page.
      .catch(() => {})
      .finally(endResuming);
  }, [accountId, utils]);
}

let isResuming = hasUploadRecords();
const listeners = new Set<() => void>();

function endResuming(): void {
  isResuming = false;
  for (const listener of listeners) listener();
}

/** Right after a reload of a page that was sending something: it is not known yet whether this one can go on with it. */
export function useIsResuming(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isResuming,
  );
}
