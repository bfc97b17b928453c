import type { DnsProviderRegistry } from './provider.ts';
import { cloudflare } from './providers/cloudflare.ts';
import { digitalocean } from './providers/digitalocean.ts';
import { hetzner } from './providers/hetzner.ts';
import { powerdns } from './providers/powerdns.ts';
import { type Rfc2136Options, rfc2136 } from './providers/rfc2136.ts';
import { route53 } from './providers/route53.ts';

/** Every DNS provider to which records can be written; others are not offered. */
export function createDnsProviders(options: Rfc2136Options): DnsProviderRegistry {
  return {
    cloudflare: cloudflare({ apiUrl: 'https://api.cloudflare.com/client/v4' }),
    route53: route53({ apiUrl: 'https://route53.amazonaws.com' }),
    digitalocean: digitalocean({ apiUrl: 'https://api.digitalocean.com/v2' }),
    hetzner: hetzner({ apiUrl: 'https://api.hetzner.cloud/v1' }),
    powerdns: powerdns(),
    rfc2136: rfc2136(options),
  };
}
