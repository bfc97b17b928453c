import { CircleX, Hand, TriangleAlert, Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Deployment } from '../../../../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../../../../routers/schemas/diagnostics.ts';
import type { Domain } from '../../../../../routers/schemas/domains.ts';
import type { Allowance } from '../../../../../routers/schemas/subscription.ts';
import { trpc } from '../../../../api/trpc.ts';
import { useSubscription } from '../../../../api/use-subscription.ts';
import { Button } from '../../../../components/button.tsx';
import { Card, CardHeader } from '../../../../components/card.tsx';
import { HostName } from '../../../../components/host-name.tsx';
import { LinkedText } from '../../../../components/linked-text.tsx';
import { useNow } from '../../../../components/now.ts';
import { CorruptedBadge } from '../../../../components/states/corrupted-badge.tsx';
import { useReturnState } from '../../../../lib/paths/connection-links.ts';
import { paths } from '../../../../lib/paths/paths.ts';
import { overCapLabels, planBlocker } from '../../plan-labels.ts';
import {
  type AttentionItem,
  corruptedItems,
  endingItems,
  failedItems,
  failedPlatformItems,
  healthItems,
  lostConnectionItems,
  refusedItems,
  stoppedConnectionItems,
  waitingItems,
} from './attention-items.ts';
import { certificateItems, domainItems } from './attention-names.ts';

export type AttentionListProps = {
  /** All deployments that may need care; the others have no items. */
  deployments: readonly Deployment[];
  /** The results of their last check. */
  health?: ReadonlyMap<string, DeploymentHealth>;
  /** True when there are more than are listed. */
  hasMore?: boolean;
  allowance: Allowance | undefined;
  /** True while the props are not yet complete. */
  isAsking?: boolean;
  /** Stands there until it is known whether anything needs the person. */
  placeholder?: ReactNode;
  /** The parts below, which appear once nothing above can move them any more. */
  children?: ReactNode;
};

const NO_HEALTH: ReadonlyMap<string, DeploymentHealth> = new Map();
/** A person reads this many; the page of all domains has the rest. */
const SHOWN_DOMAINS = 5;

const MORE_DEPLOYMENTS: AttentionItem = {
  key: 'more deployments',
  kind: 'warning',
  title: 'More deployments need you',
  text: 'These are the newest of them.',
  action: { to: paths.deployments, label: 'See all deployments' },
};

/** Lists everything that waits for the person, each with a link to its remedy. */
export function AttentionList(props: AttentionListProps) {
  const { items, isAsking } = useAttention(props);
  // What is asked later, when the account has changed, takes nothing away that is on the screen.
  const [isComplete, setComplete] = useState(false);
  if (!isComplete && !isAsking) setComplete(true);
  return (
    <>
      {items.length === 0 ? (
        !isComplete && props.placeholder
      ) : (
        <Card className="mb-6 overflow-hidden">
          <CardHeader title="Needs you" count={items.length} />
          <ul className="divide-y divide-line">
            {items.map((item) => (
              <AttentionRow key={item.key} item={item} />
            ))}
          </ul>
        </Card>
      )}
      {isComplete && props.children}
    </>
  );
}

/** Returns the items that wait for the person, and whether more may come. */
function useAttention({ deployments, health = NO_HEALTH, hasMore, allowance, isAsking }: AttentionListProps) {
  const connections = trpc.connections.list.useQuery();
  const domains = trpc.domains.list.useQuery({ needsCare: true, limit: SHOWN_DOMAINS });
  // Of many that wait for their first record, none hides one whose visitors are turned away, or that was lost.
  const broken = trpc.domains.list.useQuery(
    { isBroken: true, limit: SHOWN_DOMAINS },
    { enabled: typeof domains.data?.nextCursor === 'string' },
  );
  const certificates = trpc.certificates.list.useQuery({ needsCare: true });
  const subscription = useSubscription();
  const now = useNow();
  const first = domains.data?.items ?? [];
  const items = [
    ...planItems(allowance),
    ...endingItems(subscription.data ?? null, now),
    ...stoppedConnectionItems(connections.data?.items ?? []),
    ...lostConnectionItems(deployments),
    ...domainItems(domains.data, broken.data?.items),
    ...certificateItems(certificates.data?.items ?? [], first, now),
    ...healthItems(deployments.filter(isNotNamed([...first, ...(broken.data?.items ?? [])])), health),
    ...corruptedItems(deployments),
    ...refusedItems(deployments),
    ...waitingItems(deployments),
    ...failedItems(deployments),
    ...failedPlatformItems(deployments),
    ...(hasMore ? [MORE_DEPLOYMENTS] : []),
  ];
  const asked = [connections, domains, broken, certificates, subscription];
  return { items, isAsking: isAsking || asked.some(({ isLoading }) => isLoading) };
}

/**
 * A domain that is broken fails the check of its deployment, and is named itself. Where visitors get the site under
 * another domain, that one is checked; and a CAA record turns no visitor away.
 */
function isNotNamed(domains: readonly Domain[]): (deployment: Deployment) => boolean {
  const named = domains.flatMap(({ state, problem, deploymentId }) =>
    state === 'misconfigured' && problem?.code !== 'caa_forbids' ? [deploymentId] : [],
  );
  return ({ id, url, visitUrl }) => visitUrl !== url || !named.includes(id);
}

function planItems(allowance: Allowance | undefined): AttentionItem[] {
  if (allowance === undefined || allowance.deploymentCount === 0) return [];
  const overCap = overCapLabels(allowance);
  if (overCap !== null) {
    const action = { to: paths.deployments, label: 'See the deployments' };
    return [{ key: 'over-cap', kind: 'warning', ...overCap, action }];
  }
  const blocker = planBlocker(allowance);
  if (allowance.plan !== 'free' || blocker === null) return [];
  return [
    {
      key: 'plan',
      kind: 'warning',
      title: blocker.title,
      text: 'Your deployments stay live, and cannot be changed until a plan is active.',
      action: { to: paths.subscriptionPricing, label: blocker.action },
    },
  ];
}

const icons: Record<AttentionItem['kind'], ReactNode> = {
  warning: <TriangleAlert className="text-warn" />,
  waiting: <Hand className="text-warn" />,
  corrupted: <TriangleAlert className="text-bad" />,
  stopped: <Unplug className="text-bad" />,
  failed: <CircleX className="text-bad" />,
};

function AttentionRow({ item: { kind, name, title, text, action } }: { item: AttentionItem }) {
  const state = useReturnState();
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-3.5 sm:px-5">
      <div className="flex min-w-56 flex-1 gap-3">
        <span className="mt-0.5 shrink-0">{icons[kind]}</span>
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">
            {name && (
              <>
                <HostName name={name} fit="wrap" />{' '}
              </>
            )}
            {title}
            {kind === 'corrupted' && (
              <>
                {' '}
                <CorruptedBadge />
              </>
            )}
          </p>
          <p className="text-sm wrap-anywhere text-ink-muted">
            <LinkedText text={text} />
          </p>
        </div>
      </div>
      <Button size="sm" asChild className="max-sm:ml-7">
        <Link to={action.to} state={state}>
          {action.label}
        </Link>
      </Button>
    </li>
  );
}
