/** The addresses of an app whose sites are reached over TLS at any free port of this machine. */
export const TLS_ADDRESSES = {
  publicUrl: 'http://localhost:3000',
  sitesDomain: 'localhost',
  sitesUrl: 'https://{slug}.localhost',
  sitesListener: { protocol: 'https:', host: '127.0.0.1', port: 0 },
  supportEmail: 'support@localhost',
  operatorEmail: 'operator@localhost',
} as const;
