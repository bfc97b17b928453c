import type { Destination, ShownError } from '../../routers/schemas/platforms/destination.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { optionFieldsOf } from '../../routers/schemas/platforms/option-fields.ts';
import { platformOptionsSchema } from '../../routers/schemas/platforms/options.ts';
import type { Addresses } from '../context.ts';
import { certifiedUrlHere, type SiteName, siteHost, siteUrl, uploadHost, urlOf } from '../lib/site-names.ts';
import { CertificateModel } from './models/domains/certificate.ts';
import type { DomainRow } from './models/domains/domain.ts';
import { type Destinations, primaryOf } from './models/publishing/deployment.ts';
import type { DestinationDoc } from './models/publishing/destination.ts';

export type Site = { platform: PlatformId; slug: string; url?: string | null | undefined };

/** Returns the parts of a deployment's addresses: those of its primary destination. */
export function siteOf(deployment: Destinations<Stored> & { slug: string }): Site {
  const { platform, url } = primaryOf(deployment);
  return { platform, url, slug: deployment.slug };
}

/** Returns the address of the site for visitors; empty while its platform has named none. */
export function siteUrlOf(addresses: Addresses, site: Site): string {
  if (PLATFORMS[site.platform].isServedHere) return urlHere(addresses, { slug: site.slug, release: null });
  return site.url ?? '';
}

/** Returns the release's own address; empty when the platform has none. */
export function releaseUrlOf(
  addresses: Addresses,
  site: Site & { number: number; ownUrl?: string | null | undefined },
): string {
  if (PLATFORMS[site.platform].isServedHere) return urlHere(addresses, { slug: site.slug, release: site.number });
  return site.ownUrl ?? '';
}

/** Returns the address of a domain for visitors: https if its platform or we have a certificate for it. */
export function domainUrlOf(
  addresses: Addresses,
  { name, isAtPlatform, isCertified }: { name: string; isAtPlatform: boolean; isCertified: boolean },
): string {
  const { sitesUrl, sitesTlsPort } = addresses;
  // A platform has a certificate for each name that it serves.
  if (isAtPlatform) return urlOf('https', name);
  if (!isCertified || sitesTlsPort === undefined) return siteUrl(addresses, name);
  return certifiedUrlHere({ sitesUrl, tlsPort: sitesTlsPort }, name);
}

/** Returns the ids of those domains that have a certificate of ours; a wildcard covers one label. */
export async function certifiedDomains(
  accountId: string,
  domains: readonly Pick<DomainRow, '_id' | 'servedName'>[],
): Promise<ReadonlySet<string>> {
  const ids = domains.map(({ _id }) => _id);
  const filter = { accountId, domainId: { $in: ids }, state: { $ne: 'revoked' as const } };
  const rows = await CertificateModel.find(filter).select({ domainId: 1, 'issued.names': 1 }).lean();
  const covering = domains.filter(({ _id, servedName }) =>
    rows.some(
      ({ domainId, issued }) =>
        domainId === _id &&
        issued?.names.some((name) => name === servedName || name === `*${servedName.slice(servedName.indexOf('.'))}`),
    ),
  );
  return new Set(covering.map(({ _id }) => _id));
}

/** Returns the address where the owner of an upload can view it. */
export function uploadUrlOf(addresses: Addresses, uploadId: string): string {
  return siteUrl(addresses, uploadHost(addresses.sitesDomain, uploadId));
}

export type SiteAddress = {
  /** The address that visitors type, without a slash at its end. */
  url: string;
  /** Our listener, if we serve the site: not every resolver knows `*.localhost`, so requests connect to it directly. */
  listener?: Addresses['sitesListener'];
};

/** Returns the address of a site or a release on our own host. */
export function addressHere(addresses: Addresses, name: SiteName): SiteAddress {
  return { url: urlHere(addresses, name), listener: addresses.sitesListener };
}

function urlHere(addresses: Addresses, name: SiteName): string {
  return siteUrl(addresses, siteHost(addresses.sitesDomain, name));
}

type Stored = Pick<DestinationDoc, '_id' | 'platform' | 'url' | 'state'> & {
  error?: ErrorDoc | null | undefined;
  options?: unknown;
  site?: unknown;
};

/** Converts a destination of a deployment, or of one of its releases, with its public address. */
export function toDestination(addresses: Addresses, slug: string, doc: Stored): Destination {
  const { _id: id, platform, state, error, site = null } = doc;
  const named = namedThere(doc);
  const url = siteUrlOf(addresses, { platform, slug, url: doc.url });
  return {
    ...{ id, platform, url, state, error: toShownError(error) },
    ...(url === '' && site !== null && { mayHaveSite: true }),
    ...(named !== undefined && { named }),
  };
}

/** Returns the place that its person named in the settings: one without choices is the name of a place. */
function namedThere({ platform, options }: Stored): Destination['named'] {
  const field = optionFieldsOf(platform).find(({ choices }) => choices === undefined);
  if (field === undefined) return undefined;
  const name = platformOptionsSchema.safeParse(options).data?.[field.name];
  return typeof name === 'string' && name !== '' ? { what: field.name, name } : undefined;
}

type ErrorDoc = { code: string; message: string; hint?: string | null | undefined; raw?: string | null | undefined };

/** Converts a stored error for a person. */
export function toShownError(doc: ErrorDoc | null | undefined): ShownError | null {
  if (doc === null || doc === undefined) return null;
  return { code: doc.code, message: doc.message, hint: doc.hint ?? null, raw: doc.raw ?? null };
}
