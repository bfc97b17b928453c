import { lazy, Suspense, useState } from 'react';
import { Link, useParams } from 'wouter';
import type { CheckedRecord, Domain } from '../../routers/schemas/domains.ts';
import { isNothing, shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { HostName } from '../components/host-name.tsx';
import { ErrorState } from '../components/page/error-state.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { CertificateList } from '../features/certificates/certificate-list.tsx';
import { useOfferedDeployments } from '../features/deployments/manage/use-offered-deployments.ts';
import { isReadOnly } from '../features/deployments/plan-labels.ts';
import { DomainBadge, recordsSeen } from '../features/domains/domain-badge.tsx';
import { DomainCheck } from '../features/domains/domain-check.tsx';
import { DomainMenu, type DomainMenuProps } from '../features/domains/domain-menu.tsx';
import { DomainNotice } from '../features/domains/domain-notice.tsx';
import { LoopbackNotice } from '../features/domains/loopback-notice.tsx';
import { RecordCards } from '../features/domains/records/record-cards.tsx';
import { needsRepair, RecordSetup } from '../features/domains/records/record-setup.tsx';
import type { RemovedDomainProps } from '../features/domains/removed-domain.tsx';
import { useDomain } from '../features/domains/use-domain.ts';
import { useNavigate } from '../lib/browser/location.ts';
import { usePageTitle } from '../lib/browser/page-title.ts';
import { waitsForHost } from '../lib/loopback.ts';
import { href, paths } from '../lib/paths/paths.ts';
import { writtenName } from '../lib/written-name.ts';

/** Needed only for domains at a platform. */
const PlatformAnswers = lazy(async () => ({
  default: (await import('../features/domains/platform-answers.tsx')).PlatformAnswers,
}));

/** Needed only where the plan has become smaller. */
const OverCap = lazy(async () => ({ default: (await import('../features/domains/over-cap.tsx')).OverCap }));

/** Comes below the open steps. */
const WayCard = lazy(async () => ({ default: (await import('../features/diagnostics/way-card.tsx')).WayCard }));

/** Needed only for a domain that was removed here a moment ago. */
const RemovedDomain = lazy(async () => ({
  default: (await import('../features/domains/removed-domain.tsx')).RemovedDomain,
}));

/** Shows one domain: its open steps, the observed records, and its problems. */
export function DomainScreen() {
  const { domainId = '' } = useParams();
  const domain = useDomain(domainId);
  const isSettled = useIsSettled(domainId);
  const navigate = useNavigate();
  const [removed, setRemoved] = useState<RemovedDomainProps | null>(null);
  usePageTitle(removed?.name ?? (domain.data && writtenName(domain.data)));
  if (removed !== null) {
    return (
      <Suspense fallback={<SkeletonRows rows={3} />}>
        <RemovedDomain {...removed} />
      </Suspense>
    );
  }
  // It may be removed while its page is open.
  if (domain.data !== undefined && !isNothing(domain.error) && isSettled) {
    const { data } = domain;
    const leave: DomainMenuProps['onRemoved'] = (left) =>
      left && left.deleteFirst.length + left.stays.length > 0
        ? setRemoved({ name: writtenName(data), ...left })
        : navigate(paths.domains);
    return <DomainPage domain={data} onRemoved={leave} />;
  }
  return (
    <>
      <PageHeader title="Domain" crumbs={[{ label: 'Domains', to: paths.domains }, { label: 'Domain' }]} />
      <Card>
        {domain.error === null ? (
          <SkeletonRows rows={3} />
        ) : isNothing(domain.error) ? (
          <ErrorState
            title="This domain does not exist"
            action={
              <Button size="sm" asChild>
                <Link to={paths.domains}>See your domains</Link>
              </Button>
            }
          >
            It may have been removed, or belong to another account.
          </ErrorState>
        ) : (
          <FailedState failure={shownFailure('This domain could not be loaded', domain.error)} question={domain} />
        )}
      </Card>
    </>
  );
}

/**
 * Returns whether everything at the top is loaded; arriving later it would push the rest down, from under the pointer.
 */
function useIsSettled(domainId: string): boolean {
  const connections = trpc.connections.list.useQuery();
  const lastPlan = trpc.domains.lastPlan.useQuery({ domainId });
  return !connections.isPending && !lastPlan.isPending;
}

type DomainPageProps = Pick<DomainMenuProps, 'domain' | 'onRemoved'>;

function DomainPage({ domain, onRemoved }: DomainPageProps) {
  const allowance = trpc.subscription.allowance.useQuery();
  const { deployments } = useOfferedDeployments();
  const readOnly = isReadOnly(allowance.data, domain.deploymentId) || domain.isOverCap === true;
  const isRemoving = domain.state === 'removing';
  const isEnding = isRemoving || domain.lostTo !== undefined;
  // A problem is shown beside its repair.
  const mayRepair = needsRepair(domain) && !readOnly;
  return (
    <>
      <PageHeader
        title={<bdi className="font-mono font-medium">{writtenName(domain)}</bdi>}
        crumbs={[{ label: 'Domains', to: paths.domains }, { label: writtenName(domain) }]}
        description={
          <span className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1">
            {domain.unicodeName !== undefined && <span className="font-mono wrap-anywhere">{domain.name}</span>}
            <DomainBadge domain={domain} />
            {!isEnding && <span>{recordsSeen(domain)}</span>}
          </span>
        }
        actions={
          <>
            {!isRemoving && <DomainCheck domain={domain} />}
            <DomainMenu
              domain={domain}
              deployments={deployments}
              isReadOnly={readOnly || isEnding}
              onRemoved={onRemoved}
            />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {domain.isOverCap && (
          <Suspense fallback={<SkeletonRows rows={1} />}>
            <OverCap deploymentId={domain.deploymentId} />
          </Suspense>
        )}
        {!isEnding && <LoopbackNotice records={domain.records} />}
        {/* Nothing else helps until other computers reach this one. */}
        {!mayRepair && !waitsForHost(domain) && <DomainNotice domain={domain} />}
        {!isEnding && !readOnly && <RecordSetup domain={domain} />}
        {!isRemoving && <RecordCards domain={isEnding ? proofOnly(domain) : domain} />}
        {!isEnding && <CertifiedBy domain={domain} isReadOnly={readOnly} />}
        {!isEnding && (
          <Suspense fallback={<SkeletonRows rows={5} />}>
            <WayCard domain={domain} mayLook={!readOnly} />
          </Suspense>
        )}
        {domain.lostTo === undefined && (
          <VisitorsCard domain={domain} deployment={deployments.find(({ id }) => id === domain.deploymentId)} />
        )}
      </div>
    </>
  );
}

/** When another account has proved the name, only the proof decides. */
function proofOnly(domain: Domain): Domain {
  return { ...domain, records: domain.records.filter(({ purpose }) => purpose === 'proof') };
}

/** A platform has certificates of its own, and reports their state. */
function CertifiedBy({ domain, isReadOnly }: { domain: Domain; isReadOnly: boolean }) {
  if (domain.atPlatform !== null) {
    return (
      <Suspense fallback={<SkeletonRows rows={2} />}>
        <PlatformAnswers atPlatform={domain.atPlatform} />
      </Suspense>
    );
  }
  return <CertificateList domain={{ id: domain.id, mayIssue: domain.state === 'active' && !isReadOnly }} />;
}

function VisitorsCard({
  domain,
  deployment,
}: {
  domain: Domain;
  deployment: { id: string; name: string } | undefined;
}) {
  const { name, counterpart, servedName, pointedNames, url, provedAt, activeSince, records } = domain;
  const names = counterpart === null ? [name] : [name, counterpart];
  const served = writtenName(domain, servedName);
  const isAtSite = provedAt !== null && pointedNames.includes(servedName);
  return (
    <Card>
      <CardHeader title="Visitors see" />
      <CardBody className="flex flex-col gap-2">
        {names.map((one) => (
          <p key={one} className="text-pretty">
            <HostName name={writtenName(domain, one)} fit="wrap" />{' '}
            {visitorText({
              isPointed: pointedNames.includes(one),
              isProved: provedAt !== null,
              hasWorked: activeSince !== null,
              hasOwn: records.some((record) => record.name === one && isSeen(record)),
              redirectsTo: one === servedName ? null : served,
            })}
          </p>
        ))}
        <p className="text-sm text-ink-muted">
          {deployment !== undefined && (
            <>
              Deployment:{' '}
              <Link to={href.deployment(deployment.id)} className="font-medium text-accent underline">
                {deployment.name}
              </Link>
              {isAtSite && ' · '}
            </>
          )}
          {isAtSite && (
            <a href={url} target="_blank" rel="noreferrer" className="font-medium text-accent underline">
              Visit {served}
            </a>
          )}
        </p>
      </CardBody>
    </Card>
  );
}

function isSeen({ purpose, value, seen }: CheckedRecord): boolean {
  return purpose === 'route' && seen.some(({ isAuthority, values }) => isAuthority && values?.includes(value));
}

type Visit = {
  isPointed: boolean;
  isProved: boolean;
  hasWorked: boolean;
  /** True when a name server has a record that leads here. */
  hasOwn: boolean;
  redirectsTo: string | null;
};

function visitorText({ isPointed, isProved, hasWorked, hasOwn, redirectsTo }: Visit): string {
  if (!isPointed) return hasOwn ? 'points here only in part.' : `does not point here${hasWorked ? '' : ' yet'}.`;
  if (!isProved) return 'points here, and is served once you have proved that it is yours.';
  return redirectsTo === null ? 'serves your deployment.' : `redirects to ${redirectsTo}.`;
}
