import { useNavigate } from 'react-router';
import type { Picked } from '../../api/upload-picks.ts';
import { Button } from '../../components/button.tsx';
import { href } from '../../lib/paths.ts';
import { ReleaseAddress } from './release-address.tsx';
import { ReleaseOutcome } from './release-outcome.tsx';
import { isCancellable } from './release-words.ts';
import { SendingNotices } from './sending-panel.tsx';
import { isFirstCancellable, useCancelFirst } from './use-cancel-first.ts';
import type { Followed } from './use-followed.ts';
import { useReleaseActs } from './use-release-acts.ts';

export type FollowedHeadProps = {
  followed: Extract<Followed, { stage: 'sending' | 'release' }>;
  /** A plan is active. */
  mayChange: boolean;
  onBack: (files: Picked) => void;
};

/** What is being published, where it will be, how to stop it, and what became of it. */
export function FollowedHead({ followed, mayChange, onBack }: FollowedHeadProps) {
  const navigate = useNavigate();
  const cancelFirst = useCancelFirst(onBack);
  const { cancel, retry } = useReleaseActs({ leadsToRetried: false });
  const { deploymentId, deploymentName, url } = followed.stage === 'sending' ? followed.publication : followed.release;
  const mayCancel =
    followed.stage === 'sending' ? isFirstCancellable(followed.publication) : isCancellable(followed.release);
  const stop = () => {
    if (followed.stage === 'sending') cancelFirst(followed.publication);
    else cancel.mutate({ releaseId: followed.release.id });
  };
  return (
    <>
      {!(followed.stage === 'release' && followed.release.state === 'live') && (
        <div className="mb-5">
          <div className="flex items-center justify-between gap-4">
            <h2 className="min-w-0 text-lg font-semibold wrap-anywhere">{deploymentName}</h2>
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
          <ReleaseAddress url={url} />
        </div>
      )}
      {followed.stage === 'sending' ? (
        <SendingNotices
          publication={followed.publication}
          onReplace={() => void navigate(`${href.deployment(deploymentId)}#publish`)}
        />
      ) : (
        <ReleaseOutcome release={followed.release} retry={retry} mayChange={mayChange} />
      )}
    </>
  );
}
