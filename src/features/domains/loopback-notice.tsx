import type { Domain } from '../../../routers/schemas/domains.ts';
import { Notice } from '../../components/notice.tsx';
import { LOOPBACK_TITLE, leadHere } from '../../lib/loopback.ts';

/** Warns that a host which nobody else can reach would be offline under its records. */
export function LoopbackNotice({ records }: Pick<Domain, 'records'>) {
  if (!leadHere(records)) return null;
  return (
    <Notice tone="warn" title={LOOPBACK_TITLE}>
      Do not create these records at a public DNS provider yet: visitors would end up at their own computer. First,
      whoever runs this Fairlead has to set SITES_DOMAIN and SITES_ADDRESSES to the public name and addresses of the
      host.
    </Notice>
  );
}
