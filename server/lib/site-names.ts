import { idSchema } from '../../routers/schemas/primitives.ts';
import type { Addresses } from '../context.ts';

/** A name on the built-in host: a site, or one release of it (null for what is live). */
export type SiteName = { slug: string; release: number | null };

/** Stands for the slug in SITES_URL. */
export const SLUG_MARK = '{slug}';

/** A slug has no `--` of its own, so that a release's label cannot be that of another site. */
const RELEASE_LABEL = /^r([1-9]\d{0,8})--(.+)$/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/;

/** Returns the host name at which a site answers, or one of its releases (`r{number}--{slug}`). */
export function siteHost(sitesDomain: string, { slug, release }: SiteName): string {
  return `${release === null ? '' : `r${release}--`}${slug}.${sitesDomain}`;
}

/** Reads what `siteHost` writes, in lower case; null for a name that is none of ours by its form. */
export function parseSiteHost(sitesDomain: string, host: string): SiteName | null {
  if (!host.endsWith(`.${sitesDomain}`)) return null;
  const label = host.slice(0, -sitesDomain.length - 1);
  const [, number, own] = RELEASE_LABEL.exec(label) ?? [];
  const slug = own ?? label;
  if (!SLUG.test(slug) || slug.includes('--')) return null;
  return { slug, release: number === undefined ? null : Number(number) };
}

const UPLOAD_LABEL = 'u--';

/** Returns the host name at which an upload is looked at before it is a release; nobody guesses its id. */
export function uploadHost(sitesDomain: string, uploadId: string): string {
  return `${UPLOAD_LABEL}${uploadId}.${sitesDomain}`;
}

/** Reads the id out of what `uploadHost` writes; null for any other name. */
export function parseUploadHost(sitesDomain: string, host: string): string | null {
  if (!host.startsWith(UPLOAD_LABEL) || !host.endsWith(`.${sitesDomain}`)) return null;
  const id = idSchema.safeParse(host.slice(UPLOAD_LABEL.length, -sitesDomain.length - 1));
  return id.success ? id.data : null;
}

/** Returns the address of a domain that has a certificate of its own, at the port where the host speaks TLS. */
export function certifiedUrl(name: string, tlsPort: number): string {
  return `https://${name}${tlsPort === 443 ? '' : `:${tlsPort}`}`;
}

/**
 * Returns where visitors find a domain that has a certificate here: where SITES_URL is https, at its port, since what stands
 * in front of the host may be at another one than the host itself.
 */
export function certifiedUrlHere({ sitesUrl, tlsPort }: { sitesUrl: string; tlsPort: number }, name: string): string {
  return sitesUrl.startsWith('https:') ? siteUrl({ sitesUrl }, name) : certifiedUrl(name, tlsPort);
}

/** What SITES_URL says is around a host name: an installation has one, and a list two addresses a row. */
let around = { sitesUrl: '', protocol: '', port: '' };

/** Returns the address of a host name as people open it, without a slash at its end; also of a pattern like `*.example.com`. */
export function siteUrl({ sitesUrl }: Pick<Addresses, 'sitesUrl'>, host: string): string {
  if (around.sitesUrl !== sitesUrl) {
    const { protocol, port } = new URL(sitesUrl.replace(SLUG_MARK, 'slug'));
    around = { sitesUrl, protocol, port };
  }
  const { protocol, port } = around;
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}
