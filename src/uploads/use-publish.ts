import { useCallback, useEffect } from 'react';
import { errorToast } from '../api/errors.ts';
import { trpc } from '../api/trpc.ts';
import { useUser } from '../api/user.ts';
import { showToast } from '../components/overlays/toast-store.ts';
import { hasUploadRecords } from '../lib/storage/storage.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { SendingRequest } from './sendings.ts';

/** The publisher is loaded when something is published, because it weighs more than a whole screen. */
const publisher = () => import('./publisher.ts');

/**
 * Returns a function that starts to publish, and whose promise ends when it has started or has failed to. Its `onStart`
 * runs in the same step as the start, so that a screen follows at once.
 */
export function usePublish(): (request: SendingRequest, onStart?: () => void) => Promise<void> {
  const client = trpc.useUtils();
  return useCallback(
    async (request, onStart) => {
      try {
        const { startSelected } = await publisher();
        void startSelected(client, request);
        onStart?.();
      } catch (cause) {
        showToast(errorToast('Could not publish', cause));
      }
    },
    [client],
  );
}

const resuming = createStore<'wanted' | 'running' | 'done'>(hasUploadRecords() ? 'wanted' : 'done');

/** Returns whether, right after a reload, it is not known yet if a sending of the previous page continues. */
export function useIsResuming(): boolean {
  return useStore(resuming, (state) => state !== 'done');
}

/** Continues sendings that a reload interrupted, as soon as their owner is here. */
export function useResumedSendings(): void {
  const client = trpc.useUtils();
  const { user } = useUser();
  const accountId = user?.id ?? null;
  useEffect(() => {
    if (accountId === null || resuming.get() !== 'wanted') return;
    resuming.set('running');
    const resume = async () => (await publisher()).resumeInterrupted(client, accountId);
    // A sending that cannot be resumed stays for the next page.
    resume()
      .catch(() => undefined)
      .finally(() => resuming.set('done'));
  }, [accountId, client]);
}
