import { makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PublishEvent } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { makeUnderName, wantedIn } from '../wanted-name.ts';
import { createSiteRequest, findSite, type NetlifySite, removeSite } from './api.ts';

/** The number of letters of the destination's id that follow a name which somebody else has. */
const SUFFIX_LENGTH = 6;

/** Makes the site with the deployment's name; if that is taken, letters of our own follow it. */
export async function* makeSite(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, string> {
  const { slug, id } = call.destination;
  const names = [slug, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`] as const;
  return yield* makeUnderName(call, names, {
    make: (name, isNoted) => makeNamedSite(vendor, call, name, isNoted),
    isThere: async (name) => (await findSite(vendor, call, name)) !== null,
  });
}

/**
 * Makes a site. It has no field for a mark of ours, so a site of this name in the same account, on which nothing was
 * ever published, is taken for that of an earlier try, if there was one; any other belongs to the person, and is left
 * alone.
 */
async function makeNamedSite(vendor: Vendor, call: PlatformCall, name: string, isNoted: boolean): Promise<string> {
  const { id } = await makeOnce(call, vendor, {
    look: async (mayBeMade) => {
      const found = await findSite(vendor, call, name);
      return (isNoted || mayBeMade) && isUnused(found) ? found : null;
    },
    ...createSiteRequest(call, name),
  });
  return id;
}

function isUnused(site: NetlifySite | null): boolean {
  return site !== null && !site.published_deploy?.id && !site.custom_domain;
}

/** Deletes the site; one that is gone, or was never made, is no error. */
export async function dropSite(vendor: Vendor, call: PlatformCall): Promise<undefined> {
  const { site } = call.destination;
  const wanted = wantedIn(site);
  const unnoted = wanted === null ? null : await findSite(vendor, call, wanted);
  const siteId = stringField(site, 'siteId') ?? (isUnused(unnoted) ? (unnoted?.id ?? null) : null);
  if (siteId !== null) await nullIfNotFound(removeSite(vendor, call, siteId));
}
