import { isLocalAddress } from './local-address.ts';

const PLACEHOLDER = '__SITES_HOST__';
const SLUG_MARK = '{slug}';

/**
 * Returns the address of a deployment with this slug if it is free, by the pattern that the server wrote into the
 * page: `{slug}.localhost:3001`.
 */
export function addressOfSlug(slug: string): string {
  const written = document.querySelector('meta[name="fairlead-sites-host"]')?.getAttribute('content') ?? '';
  const pattern = written === '' || written === PLACEHOLDER ? `${SLUG_MARK}.localhost` : written;
  return pattern.replace(SLUG_MARK, slug);
}

/** Returns the address of a host name: a site that is served here answers at the port of `addressOfSlug`. */
export function addressOfHost(name: string): string {
  const [domain = '', port] = addressOfSlug('').split(':');
  return port !== undefined && name.endsWith(domain) ? `${name}:${port}` : name;
}

/** Returns the words that only this computer can open such an address, or none where everybody can. */
export function reachText(): string {
  return areSitesLocal() ? ' (only this computer can open it)' : '';
}

/** Returns whether the sites of this Fairlead can be opened on its own computer only. */
export function areSitesLocal(): boolean {
  return isLocalAddress(`http://${addressOfSlug('site')}`);
}
