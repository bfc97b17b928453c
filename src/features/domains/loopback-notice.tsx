import type { Domain } from '../../../routers/schemas/domains.ts';
import { Notice } from '../../components/notice.tsx';

const LOOPBACK = /^(?:127\.|::1$)/;

/** On a host that nobody else can reach, its records would take the name offline. */
export function LoopbackNotice({ records }: Pick<Domain, 'records'>) {
  if (!records.some(({ purpose, value }) => purpose === 'route' && LOOPBACK.test(value))) return null;
  return (
    <Notice tone="warn" title="This Fairlead can be reached from its own computer only">
      Do not create these records at a public DNS provider: visitors would end at their own computer. The operator sets
      SITES_DOMAIN and SITES_ADDRESSES to the public name and addresses of the host first.
    </Notice>
  );
}
