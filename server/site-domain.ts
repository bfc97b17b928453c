import { getDomain, getPublicSuffix } from 'tldts';

/**
 * Returns why sites at `{slug}.{sitesDomain}` would share cookies with the app, as the end of a sentence, or null when
 * they do not. Pages of a site below the app's registrable domain could set cookies for the app, unless the public
 * suffix list (publicsuffix.org) sets the sites' domain apart. `localhost` for both is apart by the list's default
 * rule.
 */
export function siteDomainFault(sitesDomain: string, publicHost: string): string | null {
  const isLocalhost = sitesDomain === 'localhost';
  if (isLocalhost && publicHost === 'localhost') return null;
  if (!isLocalhost && !sitesDomain.includes('.'))
    return 'it must be localhost or a domain with a dot, like sites.example.com';
  if (publicHost === sitesDomain || publicHost.endsWith(`.${sitesDomain}`)) {
    return 'the app itself would be reached below the domain of the sites; give the sites a domain of their own';
  }
  const options = { allowPrivateDomains: true };
  const isSuffix = getPublicSuffix(sitesDomain, options) === sitesDomain;
  const sharedDomain = getDomain(sitesDomain, options);
  if (!isSuffix && sharedDomain !== null && sharedDomain === getDomain(publicHost, options)) {
    return `SITES_DOMAIN and PUBLIC_URL share the domain ${sharedDomain}, so that a site could set cookies for the app; give the sites another registrable domain`;
  }
  return null;
}

/** Whether nothing but a public suffix is below this name, as for `example.co.uk`: it cannot be a CNAME. */
export function isRegistrableDomain(name: string): boolean {
  return getDomain(name, { allowPrivateDomains: true }) === name;
}

/** Returns `www` of a registrable domain, or the registrable domain below its `www`: platforms serve the two together. */
export function counterpartsOf(name: string): string[] {
  if (isRegistrableDomain(name)) return [`www.${name}`];
  const below = name.replace(/^www\./, '');
  return below !== name && isRegistrableDomain(below) ? [below] : [];
}
