import { Download, FilePen, FolderUp } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useParams } from 'wouter';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { isRunningReleaseState } from '../../routers/schemas/state-names.ts';
import { errorDetails, errorMessage } from '../api/errors.ts';
import { isNothing } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { FactList } from '../components/lists/fact-list.tsx';
import { Notice } from '../components/notice.tsx';
import { ErrorState } from '../components/page/error-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { Size } from '../components/size.tsx';
import { Skeleton, SkeletonGroup, SkeletonRows } from '../components/skeleton.tsx';
import { Time } from '../components/time.tsx';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { seenAgainText } from '../features/releases/acts/going-back.ts';
import { RollBackToEarlier } from '../features/releases/acts/roll-back.tsx';
import { useReleaseActs } from '../features/releases/acts/use-release-acts.ts';
import { CorruptedPanel } from '../features/releases/history/corrupted-panel.tsx';
import type { MissingLinksProps } from '../features/releases/history/missing-links.tsx';
import { ReleaseDiff } from '../features/releases/history/release-diff.tsx';
import { HandOffPanel } from '../features/releases/progress/hand-off-panel.tsx';
import { ReleaseFrame } from '../features/releases/progress/release-frame.tsx';
import { isOnItsWay, ReleaseOutcome } from '../features/releases/progress/release-outcome.tsx';
import { ReleaseSteps } from '../features/releases/progress/release-steps.tsx';
import { ReleaseBadge } from '../features/releases/release-badge.tsx';
import { isCancellable, lacksStartFiles, SOURCE_LABELS, wasSeenLive } from '../features/releases/release-labels.ts';
import { usePageTitle } from '../lib/browser/page-title.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { href, paths } from '../lib/paths/paths.ts';
import { isRollBackStep, isRollingBack } from '../lib/roll-back.ts';
import { LIVE_ONCE_COMPARED } from '../lib/verification-text.ts';

/** Most sites have no missing files. */
const missingLinks = lazyComponent<MissingLinksProps>(
  async () => (await import('../features/releases/history/missing-links.tsx')).MissingLinks,
);

/** Shows the whole history of a release. All data is requested from the server, so that a reload shows the same. */
export function ReleaseScreen() {
  const { deploymentId = '', number = '' } = useParams();
  const release = trpc.releases.get.useQuery({ deploymentId, number: Number(number) });
  // Asked with it, in one call, so that its address does not come later and replace another.
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  usePageTitle(`Release ${number}`);

  // It may be deleted while its page is open.
  if (release.data && !isNothing(release.error)) {
    const visitUrl = release.data.isCurrent ? deployment.data?.visitUrl : undefined;
    return <ReleaseStory key={release.data.id} release={release.data} visitUrl={visitUrl} />;
  }
  if (release.error) {
    const isMissing = isNothing(release.error);
    return (
      <>
        <PageHeader
          title={`Release ${number}`}
          crumbs={[{ label: 'Deployments', to: paths.deployments }, { label: `Release ${number}` }]}
        />
        <Card>
          <ErrorState
            title={isMissing ? 'This release does not exist' : 'The release could not be loaded'}
            onRetry={isMissing ? undefined : () => void release.refetch()}
            isRetrying={release.isFetching}
            action={
              isMissing && (
                <Button size="sm" asChild>
                  <Link to={href.deployment(deploymentId)}>See the deployment</Link>
                </Button>
              )
            }
            requestId={errorDetails(release.error).requestId}
          >
            {isMissing ? 'It may have been deleted with its deployment.' : errorMessage(release.error)}
          </ErrorState>
        </Card>
      </>
    );
  }
  return <ReleaseSkeleton title={`Release ${number}`} />;
}

function ReleaseStory({ release, visitUrl }: { release: ReleaseDetail; visitUrl: string | undefined }) {
  const allowance = trpc.subscription.allowance.useQuery();
  const acts = useReleaseActs();
  const isRunning = isRunningReleaseState(release.state);
  const mayChange = !isReadOnly(allowance.data, release.deploymentId);
  // The address for visitors shows another release by then.
  const ownAddress = wasSeenLive(release) ? release.previewUrl : '';
  const isShownLarge = isOnItsWay(release) || release.state === 'live';
  return (
    <ReleaseFrame
      number={release.number}
      deployment={{ id: release.deploymentId, name: release.deploymentName }}
      url={isShownLarge ? undefined : (visitUrl ?? (isRunning ? release.url : ownAddress))}
      badge={<ReleaseBadge release={release} />}
      actions={<ReleaseActs release={release} mayChange={mayChange} acts={acts} />}
      top={
        <>
          <HandOffPanel release={release} isReadOnly={!mayChange} className="mb-6" />
          <ReleaseOutcome release={release} visitUrl={visitUrl} retry={acts.retry} mayChange={mayChange} />
          {release.changedFiles === 0 && <UnchangedNotice release={release} />}
          {release.corruptedFiles.length > 0 && <CorruptedPanel release={release} isReadOnly={!mayChange} />}
          {release.state === 'live' && (lacksStartFiles(release) || release.brokenLinks.length > 0) && (
            <Suspense fallback={<SkeletonRows rows={1} />}>
              <missingLinks.Component release={release} isReadOnly={!mayChange} />
            </Suspense>
          )}
        </>
      }
      steps={<ReleaseSteps release={release} />}
      afterSteps={isRunning ? <p>{meanwhile(release)}</p> : <AfterRelease release={release} mayChange={mayChange} />}
      aside={<ReleaseFacts release={release} />}
      more={!isRunning && <ReleaseDiff release={release} />}
    />
  );
}

type ReleaseActsProps = { release: ReleaseDetail; mayChange: boolean; acts: ReturnType<typeof useReleaseActs> };

function ReleaseActs({ release, mayChange, acts: { cancel, download } }: ReleaseActsProps) {
  const isRunning = isRunningReleaseState(release.state);
  return (
    <>
      {!isRunning && mayChange && (
        <Button className="max-sm:order-last" asChild>
          <Link to={href.deploymentEditor(release.deploymentId, release.isCurrent ? undefined : release.number)}>
            <FilePen /> Edit files
          </Link>
        </Button>
      )}
      {isCancellable(release) && (
        <Button
          isBusy={cancel.isPending}
          busyLabel="Cancelling…"
          onClick={() => cancel.mutate({ releaseId: release.id })}
        >
          Cancel
        </Button>
      )}
      {/* On the far side of Cancel: nothing moves to where that was when it goes, under a pointer that presses it. */}
      <Button
        className="max-sm:order-first"
        disabled={isRunning}
        isBusy={download.isPending}
        busyLabel="Preparing…"
        onClick={() => download.mutate({ releaseId: release.id })}
      >
        <Download /> Download as ZIP
      </Button>
    </>
  );
}

/** Offers the next step: publish other files, or go back from what is live to an earlier release. */
function AfterRelease({ release, mayChange }: { release: ReleaseDetail; mayChange: boolean }) {
  if (!mayChange) return <p>{release.isCurrent ? 'Live.' : 'This release is not live.'}</p>;
  return (
    <div className="flex flex-wrap gap-2 self-center">
      <Button size="sm" asChild>
        <Link to={`${href.deployment(release.deploymentId)}#publish`}>
          <FolderUp /> {release.state === 'superseded' ? 'Publish other files' : 'Publish again'}
        </Link>
      </Button>
      {release.isCurrent && <RollBackToEarlier deploymentId={release.deploymentId} serving={release.number} />}
    </div>
  );
}

/**
 * A person may have chosen the wrong folder, or not saved it. The notice appears while the release can still be
 * stopped, and after.
 */
function UnchangedNotice({ release }: { release: ReleaseDetail }) {
  const diff = trpc.releases.diff.useQuery({ releaseId: release.id });
  const number = diff.data?.previousNumber ?? null;
  const isWorthSaying = isRunningReleaseState(release.state) || release.state === 'live';
  if (number === null || !isWorthSaying) return null;
  const isServing = release.servingNumber === number;
  return (
    <Notice tone="quiet" title={`The same files as release ${number}`} className="mb-6">
      No file was changed, added or removed.
      {isCancellable(release) &&
        (isServing
          ? ' Visitors will see no difference: cancel this release, or let it run.'
          : ' Cancel this release, or let it run.')}
    </Notice>
  );
}

function meanwhile(release: ReleaseDetail): string {
  const { number, servingNumber, steps, destinations } = release;
  if (isRollingBack(release)) {
    const [first] = steps;
    // After a move it begins anew at the platform.
    const isSent = first !== undefined && isRollBackStep({ name: 'verifying', startedAt: first.startedAt }, release);
    const further = destinations.length > 1 ? ' The other platforms follow.' : '';
    return `Visitors see release ${number} ${seenAgainText(release, !isSent)}.${further}`;
  }
  if (servingNumber === null) return `${LIVE_ONCE_COMPARED} You can close this tab.`;
  return `Release ${servingNumber} stays live until release ${number} has been checked. You can close this tab.`;
}

function ReleaseFacts({ release }: { release: ReleaseDetail }) {
  return (
    <FactList
      facts={[
        ...(release.destinations.length > 1 ? [] : [{ name: 'Platform', value: PLATFORMS[release.platform].title }]),
        { name: 'Started by', value: <span className="wrap-anywhere">{release.createdBy}</span> },
        { name: 'Started', value: <Time at={release.createdAt} /> },
        { name: 'Source', value: SOURCE_LABELS[release.source] },
        { name: 'Files', value: release.fileCount.toLocaleString('en') },
        { name: 'Size', value: <Size bytes={release.totalBytes} /> },
        // Of the first release all files are new.
        ...(release.number === 1 ? [] : [{ name: 'File changes', value: release.changedFiles.toLocaleString('en') }]),
      ]}
    />
  );
}

function ReleaseSkeleton({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <SkeletonGroup label="Loading the release" className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
        <Card className="divide-y divide-line">
          {['w-24', 'w-28', 'w-24', 'w-64'].map((width, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
            <div key={index} className="flex gap-4 px-4 py-3.5 sm:px-5">
              <Skeleton className="size-5 rounded-full" />
              <Skeleton className={`h-5 ${width}`} />
            </div>
          ))}
        </Card>
        <Card className="flex flex-col gap-3 p-5">
          <Skeleton className="h-5 w-32" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-full" />
        </Card>
      </SkeletonGroup>
    </>
  );
}
