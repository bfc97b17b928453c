import type { Certificate, CertificateList } from '../../../routers/schemas/certificates.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { trpc } from '../../api/trpc.ts';

/** The server checks at its announced time; the result is there a moment later. */
const AFTER_CHECK_MS = 2_000;

/** Follows one domain: it is fetched again after each check by the server. */
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

/** No event reports the single steps of an order, so it is polled at this interval. */
const ORDER_LOOK_MS = 5_000;

/** Returns the newest certificate of a domain, null when there is none; followed from its order until it is issued. */
export function useDomainCertificate(domain: Pick<Domain, 'id' | 'state'> | undefined): Certificate | null {
  const isExpected = domain?.state === 'active';
  const newest = (list: { pages: CertificateList[] } | undefined) => list?.pages[0]?.items[0] ?? null;
  // The list of the page makes the same request, and is followed with it.
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

/** Returns whether a certificate is served, which includes one that is being renewed. */
export function isIssued(certificate: Certificate | null): boolean {
  return certificate?.state === 'issued' || certificate?.state === 'renewing';
}
