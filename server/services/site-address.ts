import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { Addresses } from '../service-context.ts';

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Host name of a deployment's public address on the built-in host. */
export function publicHost(addresses: Addresses, slug: string): string {
  return `${slug}.${addresses.sitesDomain}`;
}

/** Host name of a release's own address, kept as its preview (product page, section 3). */
export function releaseHost(addresses: Addresses, slug: string, number: number): string {
  return `r${number}--${slug}.${addresses.sitesDomain}`;
}

/** The address that a person opens. */
function urlOfHost(addresses: Addresses, host: string): string {
  return addresses.sitesPort === HTTP_PORT ? `http://${host}` : `http://${host}:${addresses.sitesPort}`;
}

type Site = { platform: PlatformId; slug: string; siteUrl?: string | null | undefined };

/** Where visitors find the deployment; empty while its platform has not named an address yet. */
export function siteUrlOf(addresses: Addresses, site: Site): string {
  if (PLATFORMS[site.platform].isServedHere) return urlOfHost(addresses, publicHost(addresses, site.slug));
  return site.siteUrl ?? '';
}

/** The release's own address; empty where the platform keeps none. */
export function releaseUrlOf(
  addresses: Addresses,
  site: Site,
  release: { number: number; ownUrl?: string | null | undefined },
): string {
  if (PLATFORMS[site.platform].isServedHere) {
    return urlOfHost(addresses, releaseHost(addresses, site.slug, release.number));
  }
  return release.ownUrl ?? '';
}

/** Where a site is asked for: what its visitors type, and where requests of ours connect. */
export type SiteAddress = {
  protocol: 'http:' | 'https:';
  listener: { host: string; port: number };
  hostHeader: string;
  /** Begins every path; empty at the root. */
  basePath: string;
  /** Without a slash at its end. */
  url: string;
};

/** A name on our own host: not every resolver knows `*.localhost`, so requests connect to its listener. */
export function addressHere(addresses: Addresses, host: string): SiteAddress {
  const { sitesListener: listener } = addresses;
  return { protocol: 'http:', listener, hostHeader: host, basePath: '', url: urlOfHost(addresses, host) };
}

/** An address that a platform named. Names under `localhost` lead to this machine (RFC 6761, section 6.3). */
export function addressThere(address: string): SiteAddress {
  const url = new URL(address);
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const host = url.hostname.endsWith('.localhost') ? '127.0.0.1' : url.hostname;
  const port = Number(url.port) || (protocol === 'https:' ? HTTPS_PORT : HTTP_PORT);
  const basePath = url.pathname.replace(/\/$/, '');
  return { protocol, listener: { host, port }, hostHeader: url.host, basePath, url: `${url.origin}${basePath}` };
}
