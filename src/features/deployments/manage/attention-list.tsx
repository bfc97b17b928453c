import { CircleX, TriangleAlert, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Connection } from '../../../../routers/schemas/connections.ts';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { HOSTING_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import type { Allowance } from '../../../../routers/schemas/subscription.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Card, CardHeader } from '../../../components/card.tsx';
import { CorruptedBadge } from '../../../components/corrupted-badge.tsx';
import { deploymentLabel } from '../../../lib/deployment-label.ts';
import { href, paths } from '../../../lib/paths.ts';
import { isReadOnly, planBlocker } from '../plan-labels.ts';

export type AttentionListProps = { deployments: readonly Deployment[]; allowance: Allowance | undefined };

/** Everything that waits for the person: a plan, broken connections, corrupted files, failed releases; else nothing. */
export function AttentionList({ deployments, allowance }: AttentionListProps) {
  const connections = trpc.connections.list.useQuery();
  const broken = connections.data?.items.filter(({ state }) => state === 'broken') ?? [];
  const failed = deployments.filter(({ latestRelease }) => latestRelease?.state === 'failed');
  const corrupted = deployments.flatMap(({ id, name, slug, state, currentRelease }) =>
    currentRelease !== null && currentRelease.corruptedFileCount > 0 && state !== 'deleting'
      ? [
          {
            id,
            label: deploymentLabel({ name, slug }),
            number: currentRelease.number,
            files: currentRelease.corruptedFileCount,
          },
        ]
      : [],
  );
  const needsPlan = isReadOnly(allowance) && deployments.length > 0;
  const count = broken.length + failed.length + corrupted.length + (needsPlan ? 1 : 0);
  if (count === 0) return null;
  return (
    <Card className="mb-6 overflow-hidden">
      <CardHeader title="Needs you" count={count} />
      <ul className="divide-y divide-line">
        {needsPlan && allowance && (
          <AttentionItem
            icon={<TriangleAlert className="text-warn" />}
            title={planBlocker(allowance)?.title ?? 'No plan is active'}
            text="Your deployments stay live, and cannot be changed until a plan is active."
            action={{ to: paths.subscriptionPricing, label: planBlocker(allowance)?.action ?? 'See the plans' }}
          />
        )}
        {broken.map((connection) => (
          <AttentionItem
            key={connection.id}
            icon={<Unplug className="text-bad" />}
            title={`${HOSTING_TITLES[connection.provider]} · ${connection.identity} stopped working`}
            text={brokenText(connection)}
            action={{ to: href.replaceToken(connection.id), label: 'Replace token' }}
          />
        ))}
        {corrupted.map(({ id, label, number, files }) => (
          <AttentionItem
            key={id}
            icon={<TriangleAlert className="text-bad" />}
            title={`Files of ${label} are damaged`}
            badge={<CorruptedBadge />}
            text={`${formatCount(files, 'file')} of release ${number} cannot be read any more and ${files === 1 ? 'is' : 'are'} not served.`}
            action={{ to: href.release(id, number), label: 'See what to do' }}
          />
        ))}
        {failed.map(({ id, name, slug, latestRelease, currentRelease }) => (
          <AttentionItem
            key={id}
            icon={<CircleX className="text-bad" />}
            title={`Release ${latestRelease?.number} of ${deploymentLabel({ name, slug })} failed`}
            text={`${latestRelease?.errorMessage ?? ''} ${currentRelease ? `Release ${currentRelease.number} is still live.` : 'Nothing was live before.'}`}
            action={{ to: href.release(id, latestRelease?.number ?? 1), label: 'See what happened' }}
          />
        ))}
      </ul>
    </Card>
  );
}

function brokenText({ problem, deployments }: Connection): string {
  const why = problem?.message ?? 'The platform refuses its token.';
  if (deployments.length === 0) return `${why} No deployment uses it.`;
  const named = deployments.length === 1 ? deployments[0]?.name : formatCount(deployments.length, 'deployment');
  const stay = deployments.length === 1 ? 'stays live, but cannot be changed' : 'stay live, but cannot be changed';
  return `${why} ${named} ${stay} until the token is replaced.`;
}

type AttentionItemProps = {
  icon: ReactNode;
  title: string;
  badge?: ReactNode;
  text: string;
  action: { to: string; label: string };
};

function AttentionItem({ icon, title, badge, text, action }: AttentionItemProps) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-3.5 sm:px-5">
      <div className="flex min-w-56 flex-1 gap-3">
        <span className="mt-0.5 shrink-0">{icon}</span>
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium wrap-anywhere">
            {title}
            {badge}
          </p>
          <p className="text-sm wrap-anywhere text-ink-muted">{text}</p>
        </div>
      </div>
      <Button size="sm" asChild className="max-sm:ml-7">
        <Link to={action.to}>{action.label}</Link>
      </Button>
    </li>
  );
}
