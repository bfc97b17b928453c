import type { DnsProviderId } from './dns-providers.ts';
import type { PlatformId } from './platforms/ids.ts';
import { PLATFORM_TITLES } from './platforms/titles.ts';

/** The usual name of every provider that a connection can be to. */
export const CONNECTION_TITLES: Record<PlatformId | DnsProviderId, string> = {
  ...PLATFORM_TITLES,
  // GitHub Pages has no account of its own: it is the one at GitHub, which Render needs as well.
  'github-pages': 'GitHub',
  cloudflare: 'Cloudflare',
  route53: 'Amazon Route 53',
  digitalocean: 'DigitalOcean',
  hetzner: 'Hetzner',
  powerdns: 'PowerDNS',
  rfc2136: 'Your name server',
};
