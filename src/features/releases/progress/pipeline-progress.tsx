import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import type { Destination } from '../../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { trpc } from '../../../api/trpc.ts';
import { Card } from '../../../components/card.tsx';
import { type PipelineStage, StageList } from '../../../components/page/stage.tsx';
import { type Step, Stepper } from '../../../components/page/stepper.tsx';
import { Progress } from '../../../components/progress.tsx';
import { destinationLabel } from '../../../components/states/destination-badge.tsx';
import { formatSize } from '../../../lib/format.ts';
import { href } from '../../../lib/paths/paths.ts';
import { othersOf } from '../../../lib/primary-destination.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { ReleaseAddress } from '../release-address.tsx';
import { ProgressHead } from './progress-head.tsx';
import { ProgressStates } from './progress-states.tsx';
import {
  type DeploymentProgress,
  isUnderWay,
  useDeploymentProgress,
  useProgressSteps,
} from './use-deployment-progress.ts';

export type PipelineProgressProps = {
  deploymentId: string;
  /** False while no plan is active. */
  mayChange: boolean;
  /** Leaves it, with these files to begin with again. */
  onStartAgain: (files: Selection | null) => void;
  /** The progress of the domain, which never delays the site. */
  domain: {
    domainStage: PipelineStage;
    dnsStage: PipelineStage;
    certificateStage: PipelineStage;
    checks: readonly Step[];
  };
  /** Shown in the last stage, below the check of the published site. */
  report: ReactNode;
  /** Shown above the report when it is over. */
  next: ReactNode;
};

/** This step is the stage Publish; the later ones are the check of the published site. */
const SENDING: string = 'sending';

/** Shows the pipeline while it runs and after: the decisions, then the work. */
export function PipelineProgress({
  deploymentId,
  mayChange,
  onStartAgain,
  domain,
  report,
  next,
}: PipelineProgressProps) {
  const progress = useDeploymentProgress(deploymentId);
  const rows = useProgressSteps(progress);
  const { data: deployment } = trpc.deployments.get.useQuery({ deploymentId });
  return (
    <ProgressStates deploymentId={deploymentId} progress={progress} onStartAgain={() => onStartAgain(null)}>
      {(known) => {
        const platform = deployment && PLATFORMS[deployment.platform].title;
        const head = <ProgressHead progress={known} mayChange={mayChange} onBack={onStartAgain} />;
        // What comes next stands above the report, which grows as it runs.
        const end = (
          <>
            {!isUnderWay(known) && next}
            {report}
          </>
        );
        return (
          <Pipeline
            head={head}
            progress={known}
            rows={rows}
            platform={platform}
            further={deployment && othersOf(deployment).filter(({ state }) => state !== 'removing')}
            domain={domain}
            report={end}
          />
        );
      }}
    </ProgressStates>
  );
}

type Known = Extract<DeploymentProgress, { stage: 'sending' | 'release' }>;

export type PipelineProps = Pick<PipelineProgressProps, 'domain' | 'report'> & {
  /** The heading: the published files, their place and the result. */
  head: ReactNode;
  progress: Known;
  rows: readonly Step[];
  /** The platform's name; undefined while it is not known. */
  platform: string | undefined;
  /** The platforms that the deployment is on as well. */
  further?: readonly Destination[] | undefined;
};

/** Shows the stages of one deployment with their joint progress. */
export function Pipeline({ head, progress, rows, platform, further = [], domain, report }: PipelineProps) {
  const stages = stagesOf(progress, rows, { platform, further }, { ...domain, report });
  return (
    <>
      <div className="max-w-reading">
        {head}
        <WholeProgress stages={stages} />
      </div>
      <StageList label="Pipeline" stages={stages} />
    </>
  );
}

function stagesOf(
  progress: Known,
  rows: readonly Step[],
  to: PublishedTo,
  { domainStage, dnsStage, certificateStage, checks, report }: PipelineProgressProps['domain'] & { report: ReactNode },
): PipelineStage[] {
  const publishing = rows.filter(({ key }) => key === SENDING);
  const check = rows.filter(({ key }) => key !== SENDING);
  return [
    ...decisions(progress, to),
    domainStage,
    {
      title: 'Publish',
      state: stateOf(publishing),
      // In one line each, as everything below moves with it.
      text: publishText(progress),
      body: (
        <Card>
          <Stepper label="Steps of publishing" steps={publishing} />
        </Card>
      ),
    },
    dnsStage,
    certificateStage,
    {
      title: 'Diagnostics',
      // A domain that waits for its owner has nothing running.
      state: stateOf(check) === 'done' ? (checks.every(isDone) ? 'done' : 'waiting') : stateOf(check),
      body: (
        <div className="flex flex-col gap-4">
          <Card>
            <Stepper label="Steps of the check" steps={[...check, ...checks]} />
          </Card>
          {report}
        </div>
      ),
    },
  ];
}

function publishText(progress: Known): string {
  if (progress.stage === 'sending') return 'Keep this tab open for now.';
  return isUnderWay(progress) ? 'You can close this tab.' : 'Nothing left to send.';
}

type PublishedTo = { platform: string | undefined; further: readonly Destination[] };

function decisions(progress: Known, { platform, further }: PublishedTo): PipelineStage[] {
  const { fileCount, totalBytes } = progress.stage === 'sending' ? progress.sending.extent : progress.release;
  const { url, deploymentId } = progress.stage === 'sending' ? progress.sending : progress.release;
  return [
    {
      title: 'Files',
      state: 'done',
      // An earlier page sent all of it, and this one has none of its files.
      text: fileCount > 0 && (
        <span className="tabular-nums">{`${formatCount(fileCount, 'file')}, ${formatSize(totalBytes)}`}</span>
      ),
    },
    {
      title: 'Platform',
      state: stateOf([{ state: 'done' }, ...further.map(({ state }) => ({ state: STEP_STATES[state] }))]),
      text: (
        <>
          {platform ?? '\u00a0'}
          {further.map((one) => (
            <FurtherDestination key={one.id} deploymentId={deploymentId} destination={one} />
          ))}
        </>
      ),
    },
    url === ''
      ? { title: 'Address', state: 'waiting', text: platform && `The address comes from ${platform}` }
      : { title: 'Address', state: 'done', text: <ReleaseAddress url={url} /> },
  ];
}

const STEP_STATES = {
  ...{ idle: 'waiting', publishing: 'running', waiting: 'yours', live: 'done', failed: 'failed' },
  ...{ removing: 'done', removed: 'done' },
} as const satisfies Record<Destination['state'], Step['state']>;

function FurtherDestination({
  deploymentId,
  destination: { platform, state },
}: {
  deploymentId: string;
  destination: Destination;
}) {
  return (
    <span className="block">
      <Link to={href.deployment(deploymentId)} className="rounded-tight text-accent underline">
        {PLATFORMS[platform].title}
      </Link>
      : {destinationLabel(state)}
    </span>
  );
}

/** Shows the joint progress of all stages, and what it waits for. */
function WholeProgress({ stages }: { stages: readonly PipelineStage[] }) {
  const needed = stages.filter(({ state }) => state !== 'absent');
  const done = needed.filter(isDone).length;
  return (
    <div className="mb-6">
      <p className="mb-1.5 flex flex-wrap justify-between gap-x-4 text-sm text-ink-muted tabular-nums">
        <span>{`${done} of ${needed.length} stages done`}</span>
        <span>{waitingText(needed)}</span>
      </p>
      <Progress label="All stages" fraction={done / needed.length} />
    </div>
  );
}

function waitingText(stages: readonly PipelineStage[]): string {
  const titleOf = (wanted: PipelineStage['state']) => stages.find(({ state }) => state === wanted)?.title;
  const failed = titleOf('failed');
  if (failed !== undefined) return `${failed} needs attention`;
  const running = titleOf('running');
  if (running !== undefined) return `${running} is running`;
  const open = titleOf('open');
  return open === undefined ? '' : `${open} waits for you`;
}

function isDone({ state }: { state: Step['state'] | PipelineStage['state'] }): boolean {
  return state === 'done';
}

/** Returns the joint state of several steps: the most telling one. */
function stateOf(steps: readonly Pick<Step, 'state'>[]): PipelineStage['state'] {
  const isAny = (state: Step['state']) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (isAny('yours')) return 'open';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
