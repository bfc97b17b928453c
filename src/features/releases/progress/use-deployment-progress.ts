import type { ReleaseDetail } from '../../../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../../../routers/schemas/state-names.ts';
import { trpc } from '../../../api/trpc.ts';
import type { Step } from '../../../components/page/stepper.tsx';
import { isOver, type Sending, useSending } from '../../../uploads/sendings.ts';
import { useIsResuming } from '../../../uploads/use-publish.ts';
import { useReleaseRows } from './release-steps.tsx';
import { sendingSteps } from './sending-steps.tsx';

/** The progress of a deployment that was started on this page. */
export type DeploymentProgress =
  | { stage: 'loading' }
  | { stage: 'unknown'; error: unknown; retry: () => void; isRetrying: boolean }
  /** There is neither a release nor a running upload: the deployment's own page asks for files. */
  | { stage: 'left' }
  | { stage: 'sending'; sending: Sending }
  | { stage: 'release'; release: ReleaseDetail };

/**
 * Follows a deployment from the first sent file to its newest release, and finds it again after a reload: the page
 * knows about the sending, and the server about everything after it.
 */
export function useDeploymentProgress(deploymentId: string): DeploymentProgress {
  const sending = useSending(deploymentId);
  const isResuming = useIsResuming();
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const number = sending?.release?.number ?? deployment.data?.latestRelease?.number;
  const release = trpc.releases.get.useQuery(
    { deploymentId, number: number ?? 1 },
    { enabled: number !== undefined, placeholderData: (before) => before },
  );

  if (sending !== null && sending.release === null && !isOver(sending)) {
    return { stage: 'sending', sending };
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

/** Returns whether something is running that may still be stopped or awaited. */
export function isUnderWay(progress: DeploymentProgress): boolean {
  if (progress.stage === 'release') return isRunningReleaseState(progress.release.state);
  return progress.stage === 'sending' || progress.stage === 'loading';
}

/** Returns the steps from the first file to the last check: those of this page and of the server are the same. */
export function useProgressSteps(progress: DeploymentProgress): Step[] {
  const ofRelease = useReleaseRows(progress.stage === 'release' ? progress.release : NOT_YET);
  if (progress.stage === 'sending') return sendingSteps(progress.sending);
  return progress.stage === 'release' ? ofRelease : [];
}

const NOT_YET: Parameters<typeof useReleaseRows>[0] = {
  steps: [],
  primaryId: '',
  destinations: [],
  state: 'queued',
  finishedAt: null,
};
