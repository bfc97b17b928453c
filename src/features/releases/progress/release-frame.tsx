import type { ReactNode } from 'react';
import { Card, CardBody } from '../../../components/card.tsx';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { href, paths } from '../../../lib/paths/paths.ts';
import { ReleaseAddress } from '../release-address.tsx';

export type ReleaseFrameProps = {
  number: number;
  deployment: { id: string; name: string };
  /** The address, where the card does not show it large. */
  url?: string | undefined;
  badge: ReactNode;
  actions: ReactNode;
  /** The address card, and notices. */
  top: ReactNode;
  steps: ReactNode;
  /** Shown below the steps: notes while they run, and acts when they are over. */
  afterSteps: ReactNode;
  aside: ReactNode;
  /** Shown last on a small screen, so that nothing is moved when it arrives. */
  more?: ReactNode;
};

/** Holds a release in one place, from the first file that this page sends until it is live. */
export function ReleaseFrame(props: ReleaseFrameProps) {
  const { number, deployment, url, badge, actions, top, steps, afterSteps, aside, more } = props;
  const title = `Release ${number}`;
  return (
    <>
      <PageHeader
        title={title}
        badge={badge}
        description={url ? <ReleaseAddress url={url} /> : undefined}
        crumbs={[
          { label: 'Deployments', to: paths.deployments },
          { label: deployment.name, to: href.deployment(deployment.id) },
          { label: title },
        ]}
        actions={actions}
      />
      {top}
      <div className="grid items-start gap-x-6 gap-y-4 lg:grid-cols-[minmax(0,1fr)_340px] lg:grid-rows-[auto_1fr]">
        <Card className="min-w-0">
          {steps}
          <div className="flex min-h-16 max-sm:min-h-24 flex-wrap items-center gap-2 border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
            {afterSteps}
          </div>
        </Card>
        <Card className="max-lg:mt-2 lg:row-span-2">
          <CardBody>
            <h2 className="mb-3 font-semibold">About this release</h2>
            {aside}
          </CardBody>
        </Card>
        <div className="min-w-0 max-lg:mt-2 empty:hidden">{more}</div>
      </div>
    </>
  );
}
