import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardBody, CardHeader } from '../../../components/card.tsx';
import { HostName } from '../../../components/host-name.tsx';
import { formatAddress } from '../../../lib/format.ts';
import { href } from '../../../lib/paths.ts';
import { type DeploymentAct, DeploymentDialog } from '../manage/deployment-dialog.tsx';

export type NextStepsProps = { deploymentId: string; mayChange: boolean; onStartAgain: () => void };

/** Offers the next acts on a deployment right after it was published. */
export function NextSteps({ deploymentId, mayChange, onStartAgain }: NextStepsProps) {
  const [act, setAct] = useState<DeploymentAct | null>(null);
  const { data: deployment } = trpc.deployments.get.useQuery({ deploymentId });
  const domain = trpc.domains.list.useQuery({ deploymentId, limit: 1 }).data?.items[0];
  if (deployment === undefined) return null;
  const isLive = deployment.currentRelease !== null;
  const mayMoveAddress = mayChange && PLATFORMS[deployment.platform].isServedHere === true;
  return (
    <Card aria-label="What next">
      <CardHeader title="What next" />
      <Row title="Name" action={mayChange && <Act label="Rename" onClick={() => setAct('rename')} />}>
        <p className="wrap-anywhere">{deployment.name}</p>
      </Row>
      <Row title="Address" action={mayMoveAddress && <Act label="Change address" onClick={() => setAct('address')} />}>
        <HostName name={formatAddress(deployment.url)} fit="wrap" />
      </Row>
      {domain !== undefined && (
        <Row title="Domain" action={<Way label="Open" to={href.domain(domain.id)} />}>
          <HostName name={domain.name} fit="wrap" />
        </Row>
      )}
      {isLive && domain === undefined && (
        <Row
          title="A domain of your own"
          action={mayChange && <Way label="Add a domain" to={`${href.deployment(deploymentId)}?tab=domains`} />}
        >
          <p>With a certificate that is issued and renewed automatically.</p>
        </Row>
      )}
      <CardBody className="flex flex-wrap gap-2 border-t border-line">
        <Button asChild>
          <Link to={href.deployment(deploymentId)}>Open the deployment</Link>
        </Button>
        <Button onClick={onStartAgain}>{isLive ? 'Publish another' : 'Start again'}</Button>
      </CardBody>
      <DeploymentDialog deployment={deployment} act={act} onClose={() => setAct(null)} />
    </Card>
  );
}

function Row({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-start justify-between gap-4 px-4 py-3 sm:px-5 [&+&]:border-t [&+&]:border-line">
      <div className="min-w-0">
        <h3 className="text-sm font-medium">{title}</h3>
        <div className="text-sm text-ink-muted">{children}</div>
      </div>
      {action}
    </div>
  );
}

function Act({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button size="sm" onClick={onClick}>
      {label}
    </Button>
  );
}

function Way({ label, to }: { label: string; to: string }) {
  return (
    <Button size="sm" asChild>
      <Link to={to}>{label}</Link>
    </Button>
  );
}
