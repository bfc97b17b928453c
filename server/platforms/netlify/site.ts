import { AppError } from '../../errors.ts';
import { makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { createSiteRequest, findSite, type NetlifySite, removeSite } from './api.ts';

/** Letters of the destination's id behind a name that somebody else has. */
const SUFFIX_LENGTH = 6;

/** Makes the site under the deployment's name; where that is taken, with letters of our own behind it. */
export async function makeSite(vendor: Vendor, call: PlatformCall): Promise<string> {
  const { slug, id } = call.destination;
  try {
    return await makeNamedSite(vendor, call, slug);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'name_taken') throw error;
    return makeNamedSite(vendor, call, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`);
  }
}

/**
 * A site has no field for a mark of ours. One of this name in the same account on which nothing was ever published is
 * what an earlier run has made; any other belongs to the person, and is left alone.
 */
async function makeNamedSite(vendor: Vendor, call: PlatformCall, name: string): Promise<string> {
  const isUnused = (site: NetlifySite | null) => site !== null && !site.published_deploy?.id && !site.custom_domain;
  const { id } = await makeOnce(call, vendor, {
    look: async () => {
      const found = await findSite(vendor, call, name);
      return isUnused(found) ? found : null;
    },
    ...createSiteRequest(call, name),
  });
  return id;
}

/** Takes the site away; one that is gone, or was never made, is no error. */
export async function dropSite(vendor: Vendor, call: PlatformCall): Promise<void> {
  const siteId = stringField(call.destination.site, 'siteId');
  if (siteId !== null) await nullIfNotFound(removeSite(vendor, call, siteId));
}
