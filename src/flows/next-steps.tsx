import { useState } from 'react';
import { Link } from 'wouter';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { type DeploymentAct, DeploymentDialog } from '../features/deployments/manage/deployment-dialog.tsx';
import { href } from '../lib/paths/paths.ts';

export type NextStepsProps = { deploymentId: string; mayChange: boolean; onStartAgain: () => void };

/** Offers the next acts on a deployment right after it was published; its name and address are shown above. */
export function NextSteps({ deploymentId, mayChange, onStartAgain }: NextStepsProps) {
  const [act, setAct] = useState<DeploymentAct | null>(null);
  const { data: deployment } = trpc.deployments.get.useQuery({ deploymentId });
  if (deployment === undefined) return null;
  const isLive = deployment.currentRelease !== null;
  const mayMoveAddress = mayChange && PLATFORMS[deployment.platform].isServedHere === true;
  return (
    <Card aria-label="What next">
      <CardHeader title="What next" />
      <CardBody className="flex flex-wrap gap-2">
        <Button asChild>
          <Link to={href.deployment(deploymentId)}>Open the deployment</Link>
        </Button>
        {mayChange && <Button onClick={() => setAct('rename')}>Rename</Button>}
        {mayMoveAddress && <Button onClick={() => setAct('address')}>Change address</Button>}
        <Button onClick={onStartAgain}>{isLive ? 'Publish another' : 'Start again'}</Button>
      </CardBody>
      <DeploymentDialog deployment={deployment} act={act} onClose={() => setAct(null)} />
    </Card>
  );
}
