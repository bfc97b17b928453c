import { getDomain, getPublicSuffix, parse } from 'tldts';

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
    return `SITES_DOMAIN and PUBLIC_URL share the domain ${sharedDomain}, which lets a site set cookies for the app; give the sites another registrable domain`;
  }
  return null;
}

/**
 * Returns the registrable domain of a name, such as `example.co.uk` for `shop.example.co.uk`, or the name itself when
 * it has none.
 */
export function registrableDomain(name: string): string {
  return getDomain(name, { allowPrivateDomains: true }) ?? name;
}

/** Returns whether a name is directly below a public suffix, like `example.co.uk`: it cannot be a CNAME. */
export function isRegistrableDomain(name: string): boolean {
  return getDomain(name, { allowPrivateDomains: true }) === name;
}

/** Returns whether unrelated people register names below it, as for `co.uk`. */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name) === name;
}

/**
 * Returns whether the list has it as an ending of a registry, like `com`: such a name exists even if a resolver denies
 * it.
 */
export function isRegistryEnding(name: string): boolean {
  const { isIcann, publicSuffix } = parse(name);
  return isIcann === true && publicSuffix === name;
}

/** Returns the `www` of a registrable domain, or the domain of its `www`: platforms serve the two together. */
export function counterpartsOf(name: string): string[] {
  if (isRegistrableDomain(name)) return [`www.${name}`];
  const below = name.replace(/^www\./, '');
  return below !== name && isRegistrableDomain(below) ? [below] : [];
}

/** Names that no public name server knows, or that are not domains (RFC 6761, 6762, 7686, 8375, 9476). */
const SPECIAL = ['localhost', 'local', 'invalid', 'onion', 'arpa', 'alt'];

/** Endings of tests (RFC 6761) and of networks with name servers of their own (RFC 6762, appendix G). */
const UNLISTED = ['test', 'example', 'internal', 'intranet', 'private', 'corp', 'home', 'lan'];

/**
 * Returns a sentence for a person about why no account can have this name (lower case, ASCII), or null. A public
 * suffix belongs to nobody, since everybody has names of their own below it; and a site that shared a domain with the
 * app could set cookies for it. An ending that nobody can register is a name that is not finished, unless the operator
 * uses it.
 */
export function domainFault(
  name: string,
  { sitesDomain, publicHost }: { sitesDomain: string; publicHost: string },
): string | null {
  const options = { allowPrivateDomains: true };
  const isBelow = (domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
  const special = SPECIAL.find(isBelow);
  if (special !== undefined)
    return `Names below .${special} are not in the DNS. Use a domain that you have registered.`;
  if (isBelow(sitesDomain))
    return `Names below ${sitesDomain} are addresses of this Fairlead. Use a domain of your own.`;
  if (getPublicSuffix(name, options) === name)
    return `${name} is an ending that many domains share. Type the whole name, like example.${name}.`;
  const isUsedHere = [sitesDomain, publicHost, ...UNLISTED].map(lastLabel).includes(lastLabel(name));
  if (!isUsedHere && !parse(name).isIcann)
    return `${name} has no ending such as .com or .de. Type the whole name, like example.com.`;
  const appDomain = getDomain(publicHost, options) ?? publicHost;
  return isBelow(appDomain) ? `${name} belongs to this Fairlead itself. Use another domain.` : null;
}

function lastLabel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
