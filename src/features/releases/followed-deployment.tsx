import type { ReactNode } from 'react';
import type { Picked } from '../../api/upload-picks.ts';
import { Card, CardBody } from '../../components/card.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { FollowedHead } from './followed-head.tsx';
import { FollowedStates } from './followed-states.tsx';
import { isUnderWay, useFollowed } from './use-followed.ts';
import { useFollowedRows } from './use-followed-rows.ts';

export type FollowedDeploymentProps = {
  deploymentId: string;
  /** A plan is active. */
  mayChange: boolean;
  /** Leaves it, with these files to begin with again. */
  onStartAgain: (files: Picked | null) => void;
  /** Beside the steps when they are over: what can be done with the deployment. */
  next: ReactNode;
};

/** A deployment that was made on this page, from the first file that is sent until it is live. */
export function FollowedDeployment({ deploymentId, mayChange, onStartAgain, next }: FollowedDeploymentProps) {
  const followed = useFollowed(deploymentId);
  const rows = useFollowedRows(followed);
  return (
    <FollowedStates deploymentId={deploymentId} followed={followed} onStartAgain={() => onStartAgain(null)}>
      {(known) => (
        <>
          <FollowedHead followed={known} mayChange={mayChange} onBack={onStartAgain} />
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
            <Card>
              <Stepper label="Steps of the release" steps={rows} />
            </Card>
            {isUnderWay(known) ? <WhileThisRuns isSending={known.stage === 'sending'} /> : next}
          </div>
        </>
      )}
    </FollowedStates>
  );
}

function WhileThisRuns({ isSending }: { isSending: boolean }) {
  return (
    <Card>
      <CardBody>
        <h2 className="font-semibold">While this runs</h2>
        <p className="mt-1 text-ink-muted">
          The site is live once every file was fetched and compared.{' '}
          {isSending ? 'Keep this page open until the files are sent.' : 'You can close this page.'}
        </p>
      </CardBody>
    </Card>
  );
}
