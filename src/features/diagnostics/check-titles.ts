import type { CheckId } from '../../../routers/schemas/diagnostics.ts';

/** The title of each check: a name that says nothing of the verdict beside it. */
export const CHECK_TITLES: Record<CheckId, string> = {
  delegation: 'Name servers',
  dnssec: 'DNSSEC',
  dangling: 'Aliases',
  'reserved-address': 'Public address',
  resolves: 'DNS resolution',
  ownership: 'Proof of ownership',
  ttl: 'Time to live of DNS records',
  'port-80': 'Port 80',
  ipv6: 'IPv6',
  proxied: 'Proxy',
  certificate: 'SSL certificate',
  'url-up': 'Deployment URL',
  protocol: 'TLS version',
  redirects: 'Redirects',
  'https-forced': 'Redirect to HTTPS',
  hsts: 'HSTS',
  'www-and-apex': 'www and the domain',
  'mixed-content': 'Mixed content',
  caa: 'CAA records',
  'challenge-record': 'Certificate proof in DNS',
  'ca-side': 'Certificate authority',
  'reply-time': 'Response time',
  'email-untouched': 'Mail records',
};
