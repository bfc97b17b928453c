import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { isOrigin } from '../../lib/egress/url-rules.ts';
import { siteDomainFault } from '../../lib/site-domain.ts';
import { parseSiteHost, SLUG_MARK, siteHost, siteUrl, urlOf } from '../../lib/site-names.ts';

const PORT_TEXT = 'it must be a port number from 1 to 65535';
export const port = z.pipe(
  z.string().check(z.regex(/^\d{1,5}$/, PORT_TEXT)),
  z.pipe(z.transform(Number), z.number().check(z.minimum(1, PORT_TEXT), z.maximum(65_535, PORT_TEXT))),
);
export const hostName = z
  .string()
  .check(
    z.regex(
      /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
      'it must be a host name in lower case like sites.example.com',
    ),
  );
const siteUrlPattern = z
  .string()
  .check(
    z.refine(
      (text) => text.includes(SLUG_MARK) && isOrigin(text.replace(SLUG_MARK, 'slug')),
      'it must be http:// or https:// with {slug} in its host and nothing after it, like https://{slug}.sites.example.com',
    ),
  );

const ADDRESSES_MAX = 8;
const ADDRESSES_TEXT = 'it must be IP addresses with commas between them, like 192.0.2.1,2001:db8::1';
const ipAddresses = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => text.split(',').map((address) => address.trim().toLowerCase())),
    z
      .array(z.string().check(z.refine((text) => isIP(text) !== 0, ADDRESSES_TEXT)))
      .check(z.maxLength(ADDRESSES_MAX, ADDRESSES_TEXT)),
  ),
);

/** The ports and addresses of sites. */
export const sitesVariables = {
  SITES_PORT: z._default(port, 3001),
  SITES_TLS_PORT: z._default(port, 3443),
  SITES_DOMAIN: z._default(hostName, 'localhost'),
  SITES_URL: z.optional(siteUrlPattern),
  SITES_ADDRESSES: z.optional(ipAddresses),
  SITES_CERT_FILE: z.optional(z.string()),
  SITES_KEY_FILE: z.optional(z.string()),
};

type Values = z.infer<z.ZodMiniObject<typeof sitesVariables>>;
type Given = Record<string, string | undefined>;

/** The TLS port of the sites, the files of its certificate, and the address of a site over it. */
export type SitesTls = {
  port: number;
  certFile: string;
  keyFile: string;
  /** Equals SITES_URL when that is https. */
  url: string;
};

export type SitesEnv = {
  sitesPort: number;
  sitesDomain: string;
  sitesUrl: string;
  /** A and AAAA records point to these; when undefined, the addresses are looked up. */
  sitesAddresses: readonly string[] | undefined;
  /** When undefined, the sites have no certificate of their own. */
  sitesTls: SitesTls | undefined;
  /** The port at which domains are served over TLS; undefined when another listener has taken the usual one. */
  tlsPort: number | undefined;
  /** True when the operator has chosen the TLS port. */
  isTlsPortGiven: boolean;
};

export function readSites(values: Values & { PORT: number }, given: Given): SitesEnv {
  const { SITES_CERT_FILE: certFile, SITES_KEY_FILE: keyFile, SITES_TLS_PORT: tlsPort } = values;
  const hasCertificate = certFile !== undefined && keyFile !== undefined;
  const host = siteHost(values.SITES_DOMAIN, { slug: SLUG_MARK, release: null });
  const tlsUrl = urlOf('https', host, tlsPort);
  const ownUrl = hasCertificate ? tlsUrl : urlOf('http', host, values.SITES_PORT);
  const sitesUrl = values.SITES_URL === undefined ? ownUrl : siteUrl({ sitesUrl: values.SITES_URL }, host);
  const url = sitesUrl.startsWith('https:') ? sitesUrl : tlsUrl;
  return {
    sitesPort: values.SITES_PORT,
    sitesDomain: values.SITES_DOMAIN,
    sitesUrl,
    sitesAddresses: values.SITES_ADDRESSES ?? (values.SITES_DOMAIN === 'localhost' ? ['127.0.0.1', '::1'] : undefined),
    sitesTls: hasCertificate ? { port: tlsPort, certFile, keyFile, url } : undefined,
    tlsPort: [values.PORT, values.SITES_PORT].includes(tlsPort) ? undefined : tlsPort,
    isTlsPortGiven: hasCertificate || given.SITES_TLS_PORT !== undefined,
  };
}

/** Returns the variable whose value contradicts the others, and why; null when there is none. */
export function sitesFault(
  values: Values & { PORT: number },
  given: Given,
  publicHost: string,
): { name: string; fault: string } | null {
  const twice = portUsedTwice(values, given);
  if (twice !== null) return twice;
  const { SITES_CERT_FILE: certFile, SITES_KEY_FILE: keyFile, SITES_DOMAIN: domain, SITES_URL: url } = values;
  if (certFile !== undefined && keyFile === undefined) {
    return { name: 'SITES_CERT_FILE', fault: 'it needs SITES_KEY_FILE as well' };
  }
  if (keyFile !== undefined && certFile === undefined) {
    return { name: 'SITES_KEY_FILE', fault: 'it needs SITES_CERT_FILE as well' };
  }
  const fault = siteDomainFault(domain, publicHost);
  if (fault !== null) return { name: given.SITES_DOMAIN === undefined ? 'PUBLIC_URL' : 'SITES_DOMAIN', fault };
  const shown = url === undefined ? null : parseSiteHost(domain, new URL(url.replace(SLUG_MARK, 'slug')).hostname);
  if (url !== undefined && shown?.slug !== 'slug') {
    return { name: 'SITES_URL', fault: `sites answer at {slug}.${domain}; use that host here, or change SITES_DOMAIN` };
  }
  return null;
}

function portUsedTwice(values: Values & { PORT: number }, given: Given): { name: string; fault: string } | null {
  const isTls = values.SITES_CERT_FILE !== undefined || given.SITES_TLS_PORT !== undefined;
  const names = (['PORT', 'SITES_PORT', ...(isTls ? (['SITES_TLS_PORT'] as const) : [])] as const).toReversed();
  for (const [at, one] of names.entries()) {
    const other = names.slice(at + 1).find((name) => values[name] === values[one]);
    if (other === undefined) continue;
    return { name: given[one] === undefined ? other : one, fault: `${other} and ${one} must differ` };
  }
  return null;
}

/** Returns sentences about settings that work, but perhaps not as intended. */
export function sitesWarnings({ sitesTls, sitesUrl }: SitesEnv): string[] {
  const warnings: string[] = [];
  if (sitesTls !== undefined && sitesUrl.startsWith('http:')) {
    warnings.push(
      `SITES_URL is ${sitesUrl}, but with a certificate every visit there is redirected to https: set SITES_URL to the https address.`,
    );
  }
  return warnings;
}
