import type { ReactNode } from 'react';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { extentOf, type Picked } from '../../api/upload-picks.ts';
import { Card } from '../../components/card.tsx';
import { Stage, StageList, type StageProps } from '../../components/stage.tsx';
import { type Step, Stepper } from '../../components/stepper.tsx';
import { formatCount, formatSize } from '../../lib/format.ts';
import { FollowedHead } from './followed-head.tsx';
import { FollowedStates } from './followed-states.tsx';
import { ReleaseAddress } from './release-address.tsx';
import { type Followed, isUnderWay, useFollowed } from './use-followed.ts';
import { useFollowedRows } from './use-followed-rows.ts';

export type FollowedPipelineProps = {
  deploymentId: string;
  /** A plan is active. */
  mayChange: boolean;
  /** Leaves it, with these files to begin with again. */
  onStartAgain: (files: Picked | null) => void;
  /** Between the address and the publishing: what is not there. */
  absentStages: ReactNode;
  /** Below the last stage when it is over. */
  next: ReactNode;
};

/** The step that is a stage of its own: the look at what was published. */
const LOOK = 'verifying';

/** The pipeline while it runs and after: what was decided, then what happens. */
export function FollowedPipeline({ deploymentId, mayChange, onStartAgain, absentStages, next }: FollowedPipelineProps) {
  const followed = useFollowed(deploymentId);
  const rows = useFollowedRows(followed);
  const publishing = rows.filter(({ key }) => key !== LOOK);
  const look = rows.filter(({ key }) => key === LOOK);
  return (
    <FollowedStates deploymentId={deploymentId} followed={followed} onStartAgain={() => onStartAgain(null)}>
      {(known) => (
        <div className="max-w-reading">
          <FollowedHead followed={known} mayChange={mayChange} onBack={onStartAgain} />
          <StageList label="Pipeline">
            <Decided followed={known} />
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
            <Stage number={8} title="Diagnostics" state={stateOf(look)}>
              <Card>
                <Stepper label="Steps of the look at it" steps={look} />
              </Card>
            </Stage>
          </StageList>
          {!isUnderWay(known) && <div className="mt-8">{next}</div>}
        </div>
      )}
    </FollowedStates>
  );
}

type Known = Extract<Followed, { stage: 'sending' | 'release' }>;

function Decided({ followed }: { followed: Known }) {
  const { fileCount, totalBytes } =
    followed.stage === 'sending' ? extentOf(followed.publication.folder) : followed.release;
  const { url } = followed.stage === 'sending' ? followed.publication : followed.release;
  const platform = followed.stage === 'sending' ? 'built-in' : followed.release.platform;
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

/** Of several steps the one that says most. */
function stateOf(steps: readonly Step[]): StageProps['state'] {
  const isAny = (state: Step['state']) => steps.some((step) => step.state === state);
  if (isAny('failed')) return 'failed';
  if (isAny('cancelled')) return 'cancelled';
  if (steps.every(({ state }) => state === 'done')) return 'done';
  return isAny('running') || isAny('done') ? 'running' : 'waiting';
}
