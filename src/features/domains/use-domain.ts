import type { Certificate, CertificateList } from '../../../routers/schemas/certificates.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { trpc } from '../../api/trpc.ts';

/** The server looks at the time it said; its answer is there a moment later. */
const AFTER_CHECK_MS = 2_000;

/** Follows one domain: what is seen of it is read again after each look of the server. */
export function useDomain(domainId: string | undefined) {
  return trpc.domains.get.useQuery(
    { domainId: domainId ?? '' },
    {
      enabled: domainId !== undefined,
      refetchInterval: ({ state }) => state.error === null && refetchIn(state.data?.nextCheckAt ?? null),
    },
  );
}

function refetchIn(nextCheckAt: Date | null): number | false {
  return nextCheckAt !== null && Math.max(0, nextCheckAt.getTime() - Date.now()) + AFTER_CHECK_MS;
}

/** While a certificate is on its way no event tells of each of its steps. */
const ORDER_LOOK_MS = 5_000;

/** The newest certificate of a domain, null while there is none; followed from its order until it is issued. */
export function useDomainCertificate(domain: Pick<Domain, 'id' | 'state'> | undefined): Certificate | null {
  const isExpected = domain?.state === 'active';
  const newest = (list: { pages: CertificateList[] } | undefined) => list?.pages[0]?.items[0] ?? null;
  // The list of the page asks the same, and is followed with it.
  const certificates = trpc.certificates.list.useInfiniteQuery(
    { domainId: domain?.id ?? '' },
    {
      getNextPageParam: (page) => page.nextCursor,
      enabled: domain !== undefined,
      refetchInterval: ({ state }) =>
        state.error === null && isExpected && !isIssued(newest(state.data)) && ORDER_LOOK_MS,
    },
  );
  return newest(certificates.data);
}

/** Whether a certificate serves, one that is being renewed included. */
export function isIssued(certificate: Certificate | null): boolean {
  return certificate?.state === 'issued' || certificate?.state === 'renewing';
}
