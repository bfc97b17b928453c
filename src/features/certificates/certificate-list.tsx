import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { errorToast } from '../../api/errors.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardHeader } from '../../components/card.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { LoadMore } from '../../components/lists/load-more.tsx';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { paths } from '../../lib/paths/paths.ts';
import { CertificateRow } from './certificate-row.tsx';
import { LocalRootNotice } from './local-root-notice.tsx';

const IssueDialog = lazyDialog(async () => (await import('./issue-dialog.tsx')).IssueDialog);

/** Equals the length of a select; a domain's own page orders its certificate as well. */
const OFFERED = 50;

export type CertificateListProps = {
  /** Limits the list to this domain, and offers to order a certificate for it. */
  domain?: { id: string; mayIssue: boolean } | undefined;
  /** The content below, shown once the height of this is known. */
  children?: ReactNode;
};

/**
 * Lists certificates of the account, or of one domain; those of the app's own authority come with the root to install.
 */
export function CertificateList({ domain, children }: CertificateListProps) {
  const list = trpc.certificates.list.useInfiniteQuery(domain === undefined ? {} : { domainId: domain.id }, {
    getNextPageParam: (page) => page.nextCursor,
  });
  const domains = trpc.domains.list.useQuery({ limit: OFFERED }, { enabled: domain === undefined });
  const proved = domains.data?.items.filter(({ provedAt }) => provedAt !== null) ?? [];
  const certificates = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const root = list.data?.pages[0]?.localRoot ?? null;
  const isRootOffered = domain === undefined || certificates.some(({ isPublic }) => !isPublic);
  return (
    <div className="flex flex-col gap-4">
      <Card className="overflow-hidden" aria-busy={list.isFetching}>
        <CardHeader
          title={domain === undefined ? 'Certificates' : 'Certificate'}
          count={domain === undefined && certificates.length > 0 && !list.hasNextPage ? certificates.length : undefined}
          action={proved.length > 0 && <IssueForDomain proved={proved} />}
        />
        <ListStates
          list={list}
          count={certificates.length}
          skeleton={<SkeletonRows rows={1} />}
          failure={shownFailure('The certificates could not be loaded', list.error)}
          empty={{
            icon: ShieldCheck,
            text:
              domain === undefined
                ? 'No certificates yet. Each domain gets one automatically as soon as it points here.'
                : 'Ordered once the domain points here.',
            action:
              domain === undefined
                ? (domains.data && <ToDomains isFirst={domains.data.items.length === 0} />) || BUTTON_PLACE
                : domain.mayIssue && <IssueButton domainId={domain.id} />,
          }}
        >
          <ul className="divide-y divide-line">
            {certificates.map((certificate) => (
              <li key={certificate.id}>
                <CertificateRow certificate={certificate} />
              </li>
            ))}
          </ul>
        </ListStates>
      </Card>
      <LoadMore list={list} />
      {root !== null && isRootOffered && <LocalRootNotice root={root} />}
      {!list.isPending && children}
    </div>
  );
}

// As high as the button that comes, so that nothing below moves.
const BUTTON_PLACE = <span className="h-control" />;

function ToDomains({ isFirst }: { isFirst: boolean }) {
  if (isFirst) return <FirstDomain />;
  return (
    <Button asChild>
      <Link to={paths.domains}>Show your domains</Link>
    </Button>
  );
}

/** Leads to adding a domain; without a deployment there is nothing to give one. */
function FirstDomain() {
  const { data } = trpc.deployments.list.useQuery({ limit: 1 });
  if (data === undefined) return BUTTON_PLACE;
  return (
    <Button variant="primary" asChild>
      {data.items.length === 0 ? (
        <Link to={paths.newDeployment}>Publish a folder</Link>
      ) : (
        <Link to={`${paths.domains}?add=1`}>Add a domain</Link>
      )}
    </Button>
  );
}

function IssueForDomain({ proved }: { proved: readonly Domain[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Issue
      </Button>
      {isOpen && <IssueDialog proved={proved} onClose={() => setOpen(false)} />}
    </>
  );
}

function IssueButton({ domainId }: { domainId: string }) {
  const issue = trpc.certificates.issue.useMutation({
    onError: (error) => showToast(errorToast('Could not order the certificate', error)),
  });
  return (
    <Button isBusy={issue.isPending} busyLabel="Ordering…" onClick={() => issue.mutate({ domainId })}>
      Issue now
    </Button>
  );
}
