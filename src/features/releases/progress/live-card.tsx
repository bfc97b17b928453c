import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Deployment, ReleaseRef } from '../../../../routers/schemas/deployments.ts';
import { Card } from '../../../components/card.tsx';
import { FactList } from '../../../components/lists/fact-list.tsx';
import { Time } from '../../../components/time.tsx';
import { href } from '../../../lib/paths/paths.ts';
import { RollBackToEarlier } from '../acts/roll-back.tsx';
import { MissingNotice } from '../missing-notice.tsx';
import { NoStartPage } from '../no-start-page.tsx';
import { SiteThumbnail } from '../site-thumbnail.tsx';

export type LiveCardProps = {
  deployment: Deployment;
  current: ReleaseRef;
  isReadOnly: boolean;
  /** The domains of the deployment. */
  children?: ReactNode;
};

/**
 * Shows what visitors see now: the page itself, its release, since when, and under which names of their own; below it
 * what they do not get.
 */
export function LiveCard({ deployment, current, isReadOnly, children }: LiveCardProps) {
  const mayGoBack = !isReadOnly && deployment.releaseCount > 1 && deployment.state !== 'deploying';
  return (
    <>
      <Card aria-label="Live now" className="grid gap-5 p-4 sm:grid-cols-[320px_minmax(0,1fr)] sm:p-5">
        <SiteThumbnail key={current.id} platform={deployment.platform} url={deployment.url} name={deployment.name} />
        <div className="flex min-w-0 flex-col gap-4">
          <h2 className="text-lg font-semibold">Live now</h2>
          {!current.hasStartPage && !current.needsBuild && <NoStartPage isReadOnly={isReadOnly} />}
          <FactList
            facts={[
              {
                name: 'Release',
                value: (
                  <Link to={href.release(deployment.id, current.number)} className="text-accent underline">
                    {current.number}
                  </Link>
                ),
              },
              { name: 'Went live', value: <Time at={current.liveSince ?? current.createdAt} /> },
              { name: 'All releases', value: deployment.releaseCount.toLocaleString('en') },
              { name: 'Created', value: <Time at={deployment.createdAt} /> },
              { name: 'Domains', value: children },
            ]}
          />
          {mayGoBack && <RollBackToEarlier deploymentId={deployment.id} serving={current.number} />}
        </div>
      </Card>
      <MissingNotice deploymentId={deployment.id} mayChange={!isReadOnly} />
    </>
  );
}
