import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { Notice } from '../../components/notice.tsx';
import { LOOPBACK_TITLE } from '../../lib/loopback.ts';
import { areSitesLocal } from '../../lib/sites-address.ts';

export type LocalSitesNoticeProps = { deployments: readonly { platform: PlatformId }[]; className?: string };

/** Warns of such a host before and after a domain is added to these deployments, unless a platform serves one. */
export function LocalSitesNotice({ deployments, className }: LocalSitesNoticeProps) {
  const areHere = deployments.length > 0 && deployments.every(({ platform }) => PLATFORMS[platform].isServedHere);
  if (!areHere || !areSitesLocal()) return null;
  return (
    <Notice tone="warn" title={LOOPBACK_TITLE} className={className}>
      Visitors reach a domain here only once whoever runs this Fairlead has set SITES_DOMAIN and SITES_ADDRESSES to the
      public name and addresses of the host: see “Domains” in the README.
    </Notice>
  );
}
