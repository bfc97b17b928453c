import { Link } from 'wouter';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { ReleaseStep } from '../../../../routers/schemas/releases.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card, CardBody } from '../../../components/card.tsx';
import { Progress } from '../../../components/progress.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import { formatSizeOf } from '../../../lib/format.ts';
import { href, paths } from '../../../lib/paths/paths.ts';
import { isRollBackStep } from '../../../lib/roll-back.ts';
import { type Sending, useIsWaiting } from '../../../uploads/sendings.ts';
import { stepProgress } from '../release-labels.ts';
import { runningTitle } from '../step-titles.ts';

/** Shows a release that the server works on, as one line of "Publishing now". */
export function RunningRelease({ name, deploymentId, number }: { name: string; deploymentId: string; number: number }) {
  const release = trpc.releases.get.useQuery({ deploymentId, number });
  const step = release.data?.steps.find(({ state }) => state === 'running');
  const progress = step ? stepProgress(step) : null;
  return (
    <RunningLine
      to={href.release(deploymentId, number)}
      name={`${name}, release ${number}`}
      count={progress?.files ?? ''}
      fraction={progress?.fraction ?? null}
      text={stepText(step, release.data !== undefined && step !== undefined && isRollBackStep(step, release.data))}
    />
  );
}

function stepText(step: ReleaseStep | undefined, isRollBack: boolean): string {
  if (step === undefined) return 'Waiting for its turn';
  const title = runningTitle(step.name, isRollBack);
  const bytes = stepProgress(step)?.bytes;
  return bytes ? `${title}, ${bytes}` : title;
}

/** Shows a selection that this page is sending, as one line of "Publishing now". */
export function RunningSending({ sending }: { sending: Sending }) {
  const { deploymentName, progress, state } = sending;
  const isSending = progress?.phase === 'sending';
  const isWaiting = useIsWaiting(sending);
  return (
    <RunningLine
      to={sendingPath(sending)}
      name={deploymentName}
      count={
        progress ? `${progress.filesDone.toLocaleString('en')} of ${formatCount(progress.filesTotal, 'file')}` : ''
      }
      fraction={progress && progress.bytesTotal > 0 ? progress.bytesDone / progress.bytesTotal : null}
      text={
        state === 'failed'
          ? 'Stopped. Open it to continue'
          : isWaiting
            ? 'Waiting for the network'
            : isSending
              ? `Sending, ${formatSizeOf(progress.bytesDone, progress.bytesTotal)}`
              : 'Reading the files'
      }
    />
  );
}

/** Returns the path of the page that shows how a selection is sent. */
export function sendingPath({ isNew, deploymentId }: Sending): string {
  return isNew ? `${paths.newDeployment}?deployment=${deploymentId}` : href.deployment(deploymentId);
}

type RunningLineProps = { to: string; name: string; count: string; fraction: number | null; text: string };

function RunningLine({ to, name, count, fraction, text }: RunningLineProps) {
  return (
    <Link to={to} className="block rounded-control hover:opacity-90">
      <span className="mb-2 flex items-baseline justify-between gap-3">
        <span className="min-w-0 wrap-anywhere">{name}</span>
        <span className="shrink-0 text-sm text-ink-muted tabular-nums">{count}</span>
      </span>
      <Progress label={`Publishing ${name}`} fraction={fraction} />
      <span className="mt-2 block text-xs text-ink-muted tabular-nums">{text}</span>
    </Link>
  );
}

type PublishingCardProps = {
  sendings: readonly Sending[];
  /** Deployments whose newest release the server works on. */
  running: readonly Deployment[];
};

export function PublishingCard({ sendings, running }: PublishingCardProps) {
  return (
    <Card>
      <CardBody>
        <h2 className="mb-4 font-semibold">Publishing now</h2>
        <div className="flex flex-col gap-5">
          {sendings.map((sending) => (
            <RunningSending key={sending.deploymentId} sending={sending} />
          ))}
          {running.map((one) => (
            <RunningRelease
              key={one.id}
              deploymentId={one.id}
              name={deploymentLabel(one)}
              number={one.latestRelease?.number ?? one.releaseCount}
            />
          ))}
        </div>
      </CardBody>
    </Card>
  );
}
