import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { type Publication, usePublication } from '../../api/publication-store.ts';
import { trpc } from '../../api/trpc.ts';
import { useIsResuming } from '../../api/use-publish.ts';

/** How far a deployment that was made on this page has come. */
export type Followed =
  | { stage: 'loading' }
  | { stage: 'unknown'; error: unknown; retry: () => void; isRetrying: boolean }
  /** Neither a release nor files on their way: its own page asks for them. */
  | { stage: 'left' }
  | { stage: 'sending'; publication: Publication }
  | { stage: 'release'; release: ReleaseDetail };

/**
 * Follows a deployment from the first file that is sent to its newest release, and finds it again after a reload: the
 * page knows of the sending, the server of everything after it.
 */
export function useFollowed(deploymentId: string): Followed {
  const publication = usePublication(deploymentId);
  const isResuming = useIsResuming();
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const number = publication?.release?.number ?? deployment.data?.latestRelease?.number;
  const release = trpc.releases.get.useQuery(
    { deploymentId, number: number ?? 1 },
    { enabled: number !== undefined, placeholderData: (before) => before },
  );

  if (publication !== null && publication.release === null && publication.state !== 'cancelled') {
    return { stage: 'sending', publication };
  }
  if (release.data !== undefined) return { stage: 'release', release: release.data };
  const failed = number === undefined ? deployment : release;
  if (failed.error !== null) {
    return {
      stage: 'unknown',
      error: failed.error,
      retry: () => void failed.refetch(),
      isRetrying: failed.isFetching,
    };
  }
  return number === undefined && deployment.isSuccess && !isResuming ? { stage: 'left' } : { stage: 'loading' };
}

/** Something of it is under way, and may still be stopped or awaited. */
export function isUnderWay(followed: Followed): boolean {
  if (followed.stage === 'release') return isRunningReleaseState(followed.release.state);
  return followed.stage === 'sending' || followed.stage === 'loading';
}
