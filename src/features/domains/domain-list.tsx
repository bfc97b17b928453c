import { Globe } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { nameNotSet } from '../../../routers/rules/name-not-set.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardHeader } from '../../components/card.tsx';
import { HostName } from '../../components/host-name.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { LoadMore } from '../../components/lists/load-more.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { deploymentLabel } from '../../lib/deployment-label.ts';
import { waitsForHost } from '../../lib/loopback.ts';
import { href, paths } from '../../lib/paths/paths.ts';
import { besideName, counterpartText } from './counterpart-text.ts';
import { DomainBadge, recordsSeen } from './domain-badge.tsx';
import { domainCapText } from './domain-cap-text.ts';
import { DomainChoice } from './domain-choice.tsx';
import { LocalSitesNotice } from './local-sites-notice.tsx';

export type NamedDeployment = { id: string; name: string; slug: string; url: string; platform: PlatformId };
export type AddDomainDialogProps = { deployments: readonly NamedDeployment[]; onClose: () => void };

/** With the rules of names it is 20 KB, which a list of domains does without. */
const AddDomainDialog = lazyDialog(async () => (await import('./add/add-domain-dialog.tsx')).AddDomainDialog);

export type DomainListProps = {
  /** The deployments that a domain can be added to; with one, nothing is asked. */
  deployments: readonly NamedDeployment[];
  /** Limits the list to the domains of this deployment. */
  deploymentId?: string | undefined;
  isReadOnly: (deploymentId: string) => boolean;
  /** The number of domains that the plan allows for the one deployment; `null` is unlimited. */
  limit?: number | null | undefined;
  /** True while the deployments are loading. */
  isWaiting?: boolean;
  /** The content below, shown once the height of this is known. */
  children?: ReactNode;
};

/** Lists the domains of the account, or of one deployment, with their state, and a button to add one. */
export function DomainList({
  deployments,
  deploymentId,
  isReadOnly,
  limit = null,
  isWaiting = false,
  children,
}: DomainListProps) {
  const [isAdding, setAdding] = useAdding();
  const list = trpc.domains.list.useInfiniteQuery(deploymentId === undefined ? {} : { deploymentId }, {
    getNextPageParam: (page) => page.nextCursor,
  });
  const isPending = list.isPending || isWaiting;
  const domains = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const open = deployments.filter(({ id }) => !isReadOnly(id));
  const kept = domains.filter(({ state }) => state !== 'removing');
  // A missing one could not be chosen.
  const isChoiceWhole = !list.hasNextPage && kept.some(({ isOverCap }) => isOverCap);
  const isFull = limit !== null && kept.length >= limit;
  const add =
    open.length > 0 &&
    (isFull ? (
      <LargerPlan limit={limit} />
    ) : (
      <Button size="sm" variant={domains.length === 0 ? 'primary' : 'secondary'} onClick={() => setAdding(true)}>
        Add a domain
      </Button>
    ));
  return (
    <div>
      {deploymentId !== undefined && limit !== null && open.length > 0 && isChoiceWhole && (
        <DomainChoice deploymentId={deploymentId} domains={kept} limit={limit} />
      )}
      <Card className="overflow-hidden" aria-busy={list.isFetching}>
        <CardHeader title="Your domains" action={domains.length > 0 && add} />
        <ListStates
          list={{ isPending, isFetching: list.isFetching, refetch: list.refetch }}
          count={isPending ? 0 : domains.length}
          skeleton={<SkeletonRows rows={2} />}
          failure={shownFailure('The domains could not be loaded', list.error)}
          empty={{
            icon: Globe,
            text:
              deployments.length === 0
                ? 'No domains yet. Make a deployment first, then give it a domain of your own.'
                : 'No domains yet. Add one that you own, and point it to your deployment.',
            action: deploymentId === undefined && deployments.length === 0 ? <NewDeployment /> : add,
          }}
        >
          <DomainRows domains={domains} owners={deploymentId === undefined ? deployments : []} />
        </ListStates>
      </Card>
      <LoadMore list={list} />
      {list.data !== undefined && <LocalSitesNotice deployments={open.filter(mayBeLocal(domains))} className="mt-4" />}
      {!isPending && children}
      {isAdding && !isPending && add && <AddDomainDialog deployments={open} onClose={() => setAdding(false)} />}
    </div>
  );
}

/** Finds the deployments with a domain that waits for a public Fairlead; all of them before the first domain. */
function mayBeLocal(domains: readonly Domain[]): (deployment: NamedDeployment) => boolean {
  return ({ id }) => domains.length === 0 || domains.some((one) => one.deploymentId === id && waitsForHost(one));
}

/** The dialog opens by the button, and by a link with `?add` (certificate-list.tsx). */
function useAdding(): [boolean, (isAdding: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const [isAdding, setAdding] = useState(search.has('add'));
  return [
    isAdding,
    (next) => {
      setAdding(next);
      if (search.has('add')) setSearch({}, { replace: true });
    },
  ];
}

function NewDeployment() {
  return (
    <Button variant="primary" asChild>
      <Link to={paths.newDeployment}>Publish a folder</Link>
    </Button>
  );
}

/** Shown before a name is typed. */
function LargerPlan({ limit }: { limit: number }) {
  return (
    <Link to={paths.subscriptionPricing} className="text-sm text-ink-muted underline-offset-2 hover:underline">
      {domainCapText(limit)}
    </Link>
  );
}

type DomainRowsProps = {
  domains: readonly Domain[];
  /** The deployments to name; none in the list of one. */
  owners: readonly NamedDeployment[];
};

function DomainRows({ domains, owners }: DomainRowsProps) {
  return (
    <ul className="divide-y divide-line">
      {domains.map((domain) => (
        <DomainRow key={domain.id} domain={domain} deployment={owners.find(({ id }) => id === domain.deploymentId)} />
      ))}
    </ul>
  );
}

/** A row of two lines, with the state in a column of its own on a wider screen; it opens the domain. */
function DomainRow({ domain, deployment }: { domain: Domain; deployment: NamedDeployment | undefined }) {
  const isUnsettled =
    domain.state !== 'active' && domain.state !== 'removing' && domain.lostTo === undefined && !waitsForHost(domain);
  const unset = domain.state === 'active' && domain.problem === null ? nameNotSet(domain) : undefined;
  const withOther = domain.counterpart === null ? [] : [counterpartText(domain, domain.counterpart)];
  const about = [
    ...(domain.isOverCap ? ['Read-only'] : []),
    ...(deployment === undefined ? [] : [deploymentLabel(deployment)]),
    ...(unset === undefined ? withOther : [`${besideName(domain, unset)} not set up yet`]),
    ...(domain.unicodeName === undefined ? [] : [domain.name]),
  ].join(' · ');
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto_8.5rem] sm:gap-x-6 sm:px-5">
      <Link
        to={href.domain(domain.id)}
        className="-my-0.5 flex min-w-0 max-sm:col-span-2 rounded-tight py-0.5 font-medium after:absolute after:inset-0 hover:underline touch:my-0 touch:py-1"
      >
        {domain.unicodeName === undefined ? (
          <HostName name={domain.name} />
        ) : (
          // It may be written from right to left, which would not survive a cut in the middle.
          <bdi className="truncate font-mono text-sm" title={domain.unicodeName}>
            {domain.unicodeName}
          </bdi>
        )}
      </Link>
      <p className="truncate text-sm text-ink-muted" title={about}>
        {about}
      </p>
      <span className="text-sm text-ink-muted tabular-nums max-sm:hidden sm:col-start-2 sm:row-span-2 sm:row-start-1">
        {isUnsettled && recordsSeen(domain)}
      </span>
      <span className="sm:col-start-3 sm:row-span-2 sm:row-start-1 sm:justify-self-end">
        <DomainBadge domain={domain} />
      </span>
    </li>
  );
}
