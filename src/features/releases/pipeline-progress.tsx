import type { ReactNode } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Card } from '../../components/card.tsx';
import { Stage, StageList, type StageProps } from '../../components/stage.tsx';
import { type Step, Stepper } from '../../components/stepper.tsx';
import { formatSize } from '../../lib/format.ts';
import type { Selection } from '../../uploads/selection.ts';
import { ProgressHead } from './progress-head.tsx';
import { ProgressStates } from './progress-states.tsx';
import { ReleaseAddress } from './release-address.tsx';
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
  /** Between the address and the publishing: what is not there. */
  absentStages: ReactNode;
  /** Below the last stage when it is over. */
  next: ReactNode;
};

/** This step is a stage of its own: the check of what was published. */
const CHECK: string = 'verifying';

/** Shows the pipeline while it runs and after: what was decided, then what happens. */
export function PipelineProgress({ deploymentId, mayChange, onStartAgain, absentStages, next }: PipelineProgressProps) {
  const progress = useDeploymentProgress(deploymentId);
  const rows = useProgressSteps(progress);
  const publishing = rows.filter(({ key }) => key !== CHECK);
  const check = rows.filter(({ key }) => key === CHECK);
  return (
    <ProgressStates deploymentId={deploymentId} progress={progress} onStartAgain={() => onStartAgain(null)}>
      {(known) => (
        <div className="max-w-reading">
          <ProgressHead progress={known} mayChange={mayChange} onBack={onStartAgain} />
          <StageList label="Pipeline">
            <Decisions progress={known} />
            {absentStages}
            <Stage
              number={7}
              title="Publish"
              state={stateOf(publishing)}
              text={known.stage === 'sending' && 'Keep this page open until the files are sent.'}
            >
              <Card>
                <Stepper label="Steps of publishing" steps={publishing} />
              </Card>
            </Stage>
            <Stage number={8} title="Diagnostics" state={stateOf(check)}>
              <Card>
                <Stepper label="Steps of the look at it" steps={check} />
              </Card>
            </Stage>
          </StageList>
          {!isUnderWay(known) && <div className="mt-8">{next}</div>}
        </div>
      )}
    </ProgressStates>
  );
}

type Known = Extract<DeploymentProgress, { stage: 'sending' | 'release' }>;

function Decisions({ progress }: { progress: Known }) {
  const { fileCount, totalBytes } = progress.stage === 'sending' ? progress.publication.extent : progress.release;
  const { url } = progress.stage === 'sending' ? progress.publication : progress.release;
  const platform = progress.stage === 'sending' ? 'built-in' : progress.release.platform;
  return (
    <>
      <Stage
        number={1}
        title="Files"
        state="done"
        // An earlier page sent all of it, and this one has no file of it.
        text={
          fileCount > 0 && (
            <span className="tabular-nums">{`${formatCount(fileCount, 'file')}, ${formatSize(totalBytes)}`}</span>
          )
        }
      />
      <Stage number={2} title="Platform" state="done" text={PLATFORMS[platform].title} />
      <Stage number={3} title="Address" state="done" text={<ReleaseAddress url={url} />} />
    </>
  );
}

/** Answers the state of several steps together: that of the step that says most. */
function stateOf(steps: readonly Step[]): StageProps['state'] {
  const isAny = (state: Step['state']) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
