import { Resolver } from 'node:dns/promises';
import { MINUTE_MS } from '../lib/durations.ts';

/**
 * The addresses for the A and AAAA records of a domain. `given` tells that the operator set them; otherwise they are
 * those of the sites' domain.
 */
export type SitesAddresses = { given: boolean; found: readonly string[] };

const LOOKUP = { timeout: 3_000, tries: 1 };

/**
 * Finds the addresses of the built-in host: SITES_ADDRESSES, or what SITES_DOMAIN resolves to, asked again once a
 * minute. While no name server answers, the previous addresses stay.
 */
export function createSitesAddresses(
  given: readonly string[] | undefined,
  { sitesDomain, nameServers }: { sitesDomain: string; nameServers: readonly string[] | undefined },
): () => Promise<SitesAddresses> {
  if (given !== undefined) return async () => ({ given: true, found: given });
  const resolver = new Resolver(LOOKUP);
  if (nameServers !== undefined) resolver.setServers(nameServers);
  let found: readonly string[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - askedAt > MINUTE_MS) {
      askedAt = performance.now();
      const [four, six] = await Promise.allSettled([resolver.resolve4(sitesDomain), resolver.resolve6(sitesDomain)]);
      const now = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (now.length > 0) found = now;
    }
    return { given: false, found };
  };
}
