import type { DnsProviderId } from './dns-providers.ts';
import type { PlatformId } from './platforms/ids.ts';
import { ACCOUNT_TITLES } from './platforms/titles.ts';

/** The usual name of every provider that a connection can be to. */
export const CONNECTION_TITLES: Record<PlatformId | DnsProviderId, string> = {
  ...ACCOUNT_TITLES,
  cloudflare: 'Cloudflare',
  route53: 'Amazon Route 53',
  digitalocean: 'DigitalOcean',
  hetzner: 'Hetzner',
  powerdns: 'PowerDNS',
  rfc2136: 'Your name server',
};
