import type { CheckId } from '../../../routers/schemas/diagnostics.ts';

/** The title of each check, which is true when all is well. */
export const CHECK_TITLES: Record<CheckId, string> = {
  delegation: 'The name servers answer',
  dnssec: 'The DNSSEC signatures are valid',
  dangling: 'Every alias points somewhere',
  'reserved-address': 'The address is public',
  resolves: 'The domain resolves',
  ownership: 'The proof of ownership is there',
  ttl: 'DNS changes take effect quickly',
  'port-80': 'Port 80 leads to this server',
  ipv6: 'IPv6 works',
  proxied: 'No proxy is in the way',
  certificate: 'The SSL certificate is valid',
  'url-up': 'The deployment URL is up',
  protocol: 'TLS is up to date',
  redirects: 'Redirects are short',
  'https-forced': 'HTTPS is forced',
  hsts: 'Browsers are told to use HTTPS',
  'www-and-apex': 'www and the domain agree',
  'mixed-content': 'Nothing is loaded over HTTP',
  caa: 'CAA allows the certificate',
  'challenge-record': 'A certificate proof can be written in DNS',
  'ca-side': 'The certificate authority accepts orders',
  'reply-time': 'The site answers fast',
  'email-untouched': 'The mail records are untouched',
};
