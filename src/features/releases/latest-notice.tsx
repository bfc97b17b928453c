import { Link } from 'wouter';
import type { ReleaseRef } from '../../../routers/schemas/deployments.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { isRunningReleaseState } from '../../../routers/schemas/state-names.ts';
import { Button } from '../../components/button.tsx';
import { LinkedText } from '../../components/linked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { href } from '../../lib/paths/paths.ts';
import { isRollingBack } from '../../lib/roll-back.ts';
import { useReleaseActs } from './acts/use-release-acts.ts';
import { isCancellable, isRetryable } from './release-labels.ts';

export type LatestNoticeProps = {
  deploymentId: string;
  /** The primary platform, where the release went first. */
  platform: PlatformId;
  latest: ReleaseRef;
  serving: ReleaseRef | null;
  /** True when the person must act there. */
  isWaiting: boolean;
  isReadOnly: boolean;
};

/** Shows the result of the newest release when it is not the live one, and the acts on it. */
export function LatestNotice({ deploymentId, platform, latest, serving, isWaiting, isReadOnly }: LatestNoticeProps) {
  const { cancel, retry } = useReleaseActs();
  const story = storyOf(latest, serving, isWaiting ? PLATFORMS[platform].title : null);
  if (story === null) return null;
  const releaseId = latest.id;
  return (
    <Notice
      tone={story.tone}
      title={story.title}
      action={
        <span className="flex flex-wrap gap-2">
          <Button size="sm" asChild>
            <Link to={href.release(deploymentId, latest.number)}>{story.link}</Link>
          </Button>
          {isCancellable(latest) && (
            <Button
              size="sm"
              isBusy={cancel.isPending}
              busyLabel="Cancelling…"
              onClick={() => cancel.mutate({ releaseId })}
            >
              Cancel
            </Button>
          )}
          {isRetryable(latest) && !isReadOnly && (
            <Button
              size="sm"
              isBusy={retry.isPending}
              busyLabel="Starting…"
              onClick={() => retry.mutate({ releaseId })}
            >
              Try again
            </Button>
          )}
        </span>
      }
    >
      <LinkedText text={story.text} />
    </Notice>
  );
}

type Story = { tone: 'accent' | 'warn' | 'bad'; title: string | undefined; text: string; link: string };

function storyOf(latest: ReleaseRef, serving: ReleaseRef | null, waitingAt: string | null): Story | null {
  const { number, state, errorMessage } = latest;
  const still = serving === null ? 'Nothing is live yet.' : `Release ${serving.number} is still live.`;
  const reason = `${errorMessage ?? 'It failed without giving a reason.'} ${still}`;
  if (waitingAt !== null) {
    const text = `Release ${number} waits for you to finish it at ${waitingAt}. ${still}`;
    return { tone: 'warn', title: undefined, text, link: 'See the release' };
  }
  if (isRollingBack(latest)) {
    return { tone: 'accent', title: undefined, text: `Switching to release ${number}.`, link: 'Watch it' };
  }
  if (isRunningReleaseState(state)) {
    return { tone: 'accent', title: undefined, text: `Release ${number} is on its way. ${still}`, link: 'Watch it' };
  }
  if (state === 'failed') {
    return { tone: 'bad', title: `Release ${number} failed`, text: reason, link: 'See what happened' };
  }
  if (state === 'superseded' && errorMessage !== null) {
    return { tone: 'bad', title: `Release ${number} did not go live again`, text: reason, link: 'See what happened' };
  }
  // While a site is live, a cancelled release needs no notice.
  if (state === 'cancelled' && serving === null) {
    return { tone: 'warn', title: `Release ${number} was cancelled`, text: still, link: 'See the release' };
  }
  return null;
}
