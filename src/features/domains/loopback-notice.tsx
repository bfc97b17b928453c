import type { Domain } from '../../../routers/schemas/domains.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Notice } from '../../components/notice.tsx';
import { areSitesLocal } from '../../lib/sites-address.ts';

const LOOPBACK = /^(?:127\.|::1$)/;

/** Returns whether the records lead everybody to their own computer. */
export function leadHere(records: Domain['records']): boolean {
  return records.some(({ purpose, value }) => purpose === 'route' && LOOPBACK.test(value));
}

const TITLE = 'This Fairlead can be reached from its own computer only';

/** Warns that a host which nobody else can reach would be offline under its records. */
export function LoopbackNotice({ records }: Pick<Domain, 'records'>) {
  if (!leadHere(records)) return null;
  return (
    <Notice tone="warn" title={TITLE}>
      Do not create these records at a public DNS provider: visitors would end up at their own computer. The operator
      sets SITES_DOMAIN and SITES_ADDRESSES to the public name and addresses of the host first.
    </Notice>
  );
}

export type LocalSitesNoticeProps = { deployments: readonly { platform: PlatformId }[]; className?: string };

/** Says the same before a domain is added to one of these deployments, unless a platform serves one of them. */
export function LocalSitesNotice({ deployments, className }: LocalSitesNoticeProps) {
  const areHere = deployments.length > 0 && deployments.every(({ platform }) => PLATFORMS[platform].isServedHere);
  if (!areHere || !areSitesLocal()) return null;
  return (
    <Notice tone="warn" title={TITLE} className={className}>
      You can add a domain now. For visitors to reach it, the operator first sets SITES_DOMAIN and SITES_ADDRESSES to
      the public name and addresses of the host: see “Domains” in the README.
    </Notice>
  );
}
