import { idSchema } from '../../routers/schemas/primitives.ts';
import type { Addresses } from '../context.ts';

/** A name on the built-in host: a site, or one release of it; `release` is null for the live one. */
export type SiteName = { slug: string; release: number | null };

/** Stands for the slug in SITES_URL. */
export const SLUG_MARK = '{slug}';

/** A slug never contains `--`, so a release's label cannot be that of another site. */
const RELEASE_LABEL = /^r([1-9]\d{0,8})--(.+)$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/;

/** Returns the host name of a site, or of one of its releases (`r{number}--{slug}`). */
export function siteHost(sitesDomain: string, { slug, release }: SiteName): string {
  return `${release === null ? '' : `r${release}--`}${slug}.${sitesDomain}`;
}

/** Reads a name that `siteHost` made, in lower case; returns null for any other name. */
export function parseSiteHost(sitesDomain: string, host: string): SiteName | null {
  if (!host.endsWith(`.${sitesDomain}`)) return null;
  const label = host.slice(0, -sitesDomain.length - 1);
  const [, number, own] = RELEASE_LABEL.exec(label) ?? [];
  const slug = own ?? label;
  if (!SLUG.test(slug) || slug.includes('--')) return null;
  return { slug, release: number === undefined ? null : Number(number) };
}

const UPLOAD_LABEL = 'u--';

/** Returns the host name at which an upload can be viewed before it is a release; nobody can guess its id. */
export function uploadHost(sitesDomain: string, uploadId: string): string {
  return `${UPLOAD_LABEL}${uploadId}.${sitesDomain}`;
}

/** Reads the id from a name that `uploadHost` made; returns null for any other name. */
export function parseUploadHost(sitesDomain: string, host: string): string | null {
  if (!host.startsWith(UPLOAD_LABEL) || !host.endsWith(`.${sitesDomain}`)) return null;
  const id = idSchema.safeParse(host.slice(UPLOAD_LABEL.length, -sitesDomain.length - 1));
  return id.success ? id.data : null;
}

const USUAL_PORTS = { http: 80, https: 443 };

/** Returns the address of a name, without a slash at its end, and without the usual port of its scheme. */
export function urlOf(scheme: 'http' | 'https', name: string, port = USUAL_PORTS[scheme]): string {
  return `${scheme}://${name}${port === USUAL_PORTS[scheme] ? '' : `:${port}`}`;
}

/**
 * Returns the address at which visitors find a domain with a certificate here. When SITES_URL is https its port
 * counts, because a proxy in front of the host may use another port than the host itself.
 */
export function certifiedUrlHere({ sitesUrl, tlsPort }: { sitesUrl: string; tlsPort: number }, name: string): string {
  return sitesUrl.startsWith('https:') ? siteUrl({ sitesUrl }, name) : urlOf('https', name, tlsPort);
}

/**
 * Caches the text around the host name in SITES_URL: an installation has one, and a list builds two addresses a row.
 */
let around = { sitesUrl: '', protocol: '', port: '' };

/**
 * Returns the address of a host name as people open it, without a slash at its end; patterns like `*.example.com` work
 * too.
 */
export function siteUrl({ sitesUrl }: Pick<Addresses, 'sitesUrl'>, host: string): string {
  if (around.sitesUrl !== sitesUrl) {
    const { protocol, port } = new URL(sitesUrl.replace(SLUG_MARK, 'slug'));
    around = { sitesUrl, protocol, port };
  }
  const { protocol, port } = around;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}
