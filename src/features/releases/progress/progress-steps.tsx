import type { ReactNode } from 'react';
import { Card, CardBody } from '../../../components/card.tsx';
import { Stepper } from '../../../components/page/stepper.tsx';
import { LIVE_ONCE_COMPARED } from '../../../lib/verification-text.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { hasStopped } from '../release-badge.tsx';
import { ProgressHead, type ProgressHeadProps } from './progress-head.tsx';
import { ProgressStates } from './progress-states.tsx';
import { isUnderWay, useDeploymentProgress, useProgressSteps } from './use-deployment-progress.ts';

export type ProgressStepsProps = {
  deploymentId: string;
  /** False while no plan is active. */
  mayChange: boolean;
  /** Leaves it, with these files to begin with again. */
  onStartAgain: (files: Selection | null) => void;
  /** Shown beside the finished steps: the acts on the deployment. */
  next: ReactNode;
};

/** Shows a deployment that was started on this page, from the first sent file until it is live. */
export function ProgressSteps({ deploymentId, mayChange, onStartAgain, next }: ProgressStepsProps) {
  const progress = useDeploymentProgress(deploymentId);
  const rows = useProgressSteps(progress);
  return (
    <ProgressStates deploymentId={deploymentId} progress={progress} onStartAgain={() => onStartAgain(null)}>
      {(known) => (
        <>
          <ProgressHead progress={known} mayChange={mayChange} onBack={onStartAgain} />
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
            <Card>
              <Stepper label="Steps of the release" steps={rows} />
            </Card>
            {isUnderWay(known) ? <WhileThisRuns progress={known} /> : next}
          </div>
        </>
      )}
    </ProgressStates>
  );
}

function WhileThisRuns({ progress }: Pick<ProgressHeadProps, 'progress'>) {
  if (progress.stage === 'sending' && hasStopped(progress.sending)) return null;
  return (
    <Card>
      <CardBody>
        <h2 className="font-semibold">While this runs</h2>
        <p className="mt-1 text-ink-muted">
          {LIVE_ONCE_COMPARED}{' '}
          {progress.stage === 'sending' ? 'Keep this tab open until the files are sent.' : 'You can close this tab.'}
        </p>
      </CardBody>
    </Card>
  );
}
