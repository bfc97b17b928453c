import { useCallback } from 'react';
import { showToast } from '../components/toast-store.ts';
import { later, useWhenIdle } from '../lib/later.ts';
import { errorToast } from './errors.ts';
import type { PublicationRequest } from './publication-store.ts';
import { trpc } from './trpc.ts';

/** The upload, its hashing and its repeats: no screen needs them before somebody publishes. */
const publishing = later(async () => (await import('./publish.ts')).publish);

/** Starts to publish; `onStart` runs in the same step, so that a screen follows without a moment between. */
export function usePublish(): (request: PublicationRequest, onStart?: () => void) => Promise<void> {
  const utils = trpc.useUtils();
  useWhenIdle(publishing.fetch);
  return useCallback(
    async (request, onStart) => {
      try {
        const publish = await publishing.fetch();
        onStart?.();
        await publish(utils, request);
      } catch (cause) {
        showToast(errorToast('Could not publish', cause));
      }
    },
    [utils],
  );
}
