import { Lock, LockOpen } from 'lucide-react';
import { Link } from 'wouter';
import { shownFailure } from '../api/shown-failure.ts';
import { trpc } from '../api/trpc.ts';
import { Badge } from '../components/badge.tsx';
import { Card, CardHeader } from '../components/card.tsx';
import { HostName } from '../components/host-name.tsx';
import { FailedState } from '../components/page/failed-state.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { CertificateList } from '../features/certificates/certificate-list.tsx';
import { formatAddress } from '../lib/format.ts';
import { isLocalAddress } from '../lib/local-address.ts';
import { paths } from '../lib/paths/paths.ts';

/** The most that the server answers at once; Domains has all of them. */
const SHOWN = 50;

/** Shows the certificates of domains, and for every address whether it is encrypted. */
export function CertificatesScreen() {
  const list = trpc.deployments.list.useQuery({ limit: SHOWN });
  const deployments = list.data?.items.filter(({ url }) => url !== '') ?? [];
  const domains = trpc.domains.list.useQuery({ state: 'active', limit: SHOWN });
  const failed = [list, domains].find(({ isLoadingError }) => isLoadingError);
  const rows = deployments.flatMap(({ id, name, url }) => {
    const own = domains.data?.items.filter(({ deploymentId }) => deploymentId === id) ?? [];
    return [{ key: id, name, url }, ...own.map((domain) => ({ key: domain.id, name, url: domain.url }))];
  });
  return (
    <>
      <PageHeader
        title="SSL Certificates"
        description="The certificates of your domains, and whether each of your addresses uses HTTPS."
      />
      <CertificateList>
        {(rows.length > 0 || failed) && (
          <Card className="overflow-hidden">
            <CardHeader title="How your addresses are served" />
            {failed && (
              <FailedState
                failure={shownFailure('Not all addresses could be loaded', failed.error)}
                question={failed}
              />
            )}
            {rows.length > 0 && (
              <>
                {rows.some(({ url }) => !isEncrypted(url) && !isLocalAddress(url)) && (
                  <p className="border-b border-line px-4 py-3 text-ink-muted text-pretty sm:px-5">
                    Over plain HTTP, anyone between a visitor and the host can read and change what is sent.
                  </p>
                )}
                <ul className="divide-y divide-line">
                  {rows.map(({ key, ...row }) => (
                    <ServedRow key={key} {...row} />
                  ))}
                </ul>
              </>
            )}
          </Card>
        )}
        {(list.data?.nextCursor || domains.data?.nextCursor) && (
          <p className="text-sm text-ink-muted">
            These are the newest {SHOWN}.{' '}
            <Link to={paths.domains} className="font-medium text-accent underline">
              See all of them under Domains
            </Link>
          </p>
        )}
        <Card>
          <CardHeader title="How Fairlead itself is served" />
          <ul>
            <ServedRow url={location.origin} />
          </ul>
        </Card>
      </CertificateList>
    </>
  );
}

/** Judges by the address alone and assumes nothing about a proxy in front of the host. */
function isEncrypted(url: string): boolean {
  return url.startsWith('https:');
}

function ServedRow({ name, url }: { name?: string; url: string }) {
  const isSafe = isEncrypted(url);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-3 sm:px-5">
      {name !== undefined && (
        <span title={name} dir="auto" className="truncate">
          {name}
        </span>
      )}
      {/* Below a name it has the whole width of a phone. */}
      <HostName name={formatAddress(url)} fit="wrap" className={name && 'max-sm:col-span-2'} />
      <span className="col-start-2 row-start-1 sm:row-end-3">
        <Badge tone={isSafe ? 'good' : 'unknown'} icon={isSafe ? Lock : LockOpen}>
          {isSafe ? 'HTTPS' : 'Plain HTTP'}
        </Badge>
      </span>
    </li>
  );
}
