import type { Addresses } from '../service-context.ts';

const HTTP_PORT = 80;

/** Host name of a deployment's public address on the built-in host. */
export function publicHost(addresses: Addresses, slug: string): string {
  return `${slug}.${addresses.sitesDomain}`;
}

/** Host name of a release's own address, kept as its preview (product page, section 3). */
export function releaseHost(addresses: Addresses, slug: string, number: number): string {
  return `r${number}--${slug}.${addresses.sitesDomain}`;
}

/** The address that a person opens. */
export function urlOfHost(addresses: Addresses, host: string): string {
  return addresses.sitesPort === HTTP_PORT ? `http://${host}` : `http://${host}:${addresses.sitesPort}`;
}
