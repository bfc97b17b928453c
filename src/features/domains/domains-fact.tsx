import { Link } from 'wouter';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { HostName } from '../../components/host-name.tsx';
import { href } from '../../lib/paths/paths.ts';
import { writtenName } from '../../lib/written-name.ts';
import { DomainBadge } from './domain-badge.tsx';

/** The ones that changed last; the tab beside has all. */
const SHOWN_DOMAINS = 3;

/** Names the domains of a deployment, each with the state that the list of domains shows. */
export function DomainsFact({ deploymentId }: { deploymentId: string }) {
  const { data, isLoadingError, refetch } = trpc.domains.list.useQuery({ deploymentId, limit: SHOWN_DOMAINS });
  if (isLoadingError) {
    return (
      <span role="alert" className="flex flex-wrap items-center justify-end gap-2">
        Could not be loaded.
        <Button size="sm" onClick={() => void refetch()}>
          Retry
        </Button>
      </span>
    );
  }
  if (data?.items.length === 0) return 'None yet';
  return (
    <span className="flex min-h-5.5 flex-col gap-1">
      {data?.items.map((domain) => (
        <span key={domain.id} className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1">
          <Link to={href.domain(domain.id)} className="flex min-w-0 rounded-tight hover:underline touch:py-2">
            <HostName name={writtenName(domain)} />
          </Link>
          <DomainBadge domain={domain} />
        </span>
      ))}
      {data && data.nextCursor !== null && (
        <Link to="?tab=domains" className="text-accent underline">
          See all
        </Link>
      )}
    </span>
  );
}
