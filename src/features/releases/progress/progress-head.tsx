import { Link } from 'wouter';
import { PLATFORM_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { focusWhereNone } from '../../../lib/browser/focus-where-none.ts';
import { useNavigate } from '../../../lib/browser/location.ts';
import { href } from '../../../lib/paths/paths.ts';
import { waitingPlatform } from '../../../lib/waiting.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { isFirstCancellable, useCancelFirst } from '../acts/use-cancel-first.ts';
import { useReleaseActs } from '../acts/use-release-acts.ts';
import { isCancellable } from '../release-labels.ts';
import { isOnItsWay, ReleaseOutcome } from './release-outcome.tsx';
import { SendingPanel } from './sending-panel.tsx';
import type { DeploymentProgress } from './use-deployment-progress.ts';

export type ProgressHeadProps = {
  progress: Extract<DeploymentProgress, { stage: 'sending' | 'release' }>;
  /** False while no plan is active. */
  mayChange: boolean;
  onBack: (files: Selection) => void;
};

/** Shows what is being published, its address, a button to stop it, and the result. */
export function ProgressHead({ progress, mayChange, onBack }: ProgressHeadProps) {
  const navigate = useNavigate();
  const cancelFirst = useCancelFirst(onBack);
  const { cancel, retry } = useReleaseActs({ leadsToRetried: false });
  const { deploymentId, deploymentName } = progress.stage === 'sending' ? progress.sending : progress.release;
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const mayCancel =
    progress.stage === 'sending' ? isFirstCancellable(progress.sending) : isCancellable(progress.release);
  const stop = () => {
    if (progress.stage === 'sending') cancelFirst(progress.sending);
    else cancel.mutate({ releaseId: progress.release.id });
  };
  // The card below has the name while it runs and once it is live.
  const isNamedBelow =
    progress.stage === 'sending' || progress.release.state === 'live' || isOnItsWay(progress.release);
  const number = progress.stage === 'sending' ? 1 : progress.release.number;
  const waiting = progress.stage === 'release' ? waitingPlatform(progress.release) : undefined;
  return (
    <>
      <div className="mb-3 flex min-h-control items-center justify-between gap-4">
        {/* Publish has left with its form. */}
        <h2 ref={focusWhereNone} className="min-w-0 text-lg font-semibold wrap-anywhere outline-none">
          {isNamedBelow ? `Release ${number}` : deploymentName}
        </h2>
        {/* It keeps its place: whoever presses it a moment too late presses nothing else. */}
        <Button
          onClick={stop}
          isBusy={cancel.isPending}
          busyLabel="Cancelling…"
          disabled={!mayCancel}
          className={mayCancel ? undefined : 'invisible'}
        >
          Cancel
        </Button>
      </div>
      {progress.stage === 'sending' ? (
        <SendingPanel
          sending={progress.sending}
          platform={deployment.data?.platform ?? 'built-in'}
          onReplace={() => navigate(`${href.deployment(deploymentId)}#publish`)}
        />
      ) : (
        <ReleaseOutcome
          release={progress.release}
          visitUrl={deployment.data?.visitUrl}
          retry={retry}
          mayChange={mayChange}
        />
      )}
      {waiting !== undefined && (
        <Button variant="primary" className="mb-4" asChild>
          <Link to={href.release(deploymentId, number)}>Finish at {PLATFORM_TITLES[waiting.platform]}</Link>
        </Button>
      )}
    </>
  );
}
