import type { DnsProviderId } from './dns-providers.ts';
import type { PlatformId } from './platforms/ids.ts';
import { PLATFORM_TITLES } from './platforms/titles.ts';

/**
 * The usual name of every provider that a connection can be to. GitHub Pages has no accounts of its own; Render needs one
 * at GitHub as well.
 */
export const CONNECTION_TITLES: Record<PlatformId | DnsProviderId, string> = {
  ...PLATFORM_TITLES,
  'github-pages': 'GitHub',
  cloudflare: 'Cloudflare',
  route53: 'Amazon Route 53',
  digitalocean: 'DigitalOcean',
  hetzner: 'Hetzner',
  powerdns: 'PowerDNS',
  rfc2136: 'Your name server',
};
