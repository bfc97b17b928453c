import { AppError } from '../../../../server/errors.ts';
import type { Vendor } from '../../../../server/platforms/http.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../../../../server/platforms/platform.ts';
import { makeSite, readSite, removeSite } from './api.ts';

/** Letters of the deployment's id behind a name that somebody else has. */
const SUFFIX_LENGTH = 6;

/**
 * The site of the deployment's earlier releases, else a new one, named before it is used. Throws
 * `platform_place_gone` when it was deleted there. */
export async function* ensureSite(vendor: Vendor, call: PlatformCall): AsyncGenerator<PublishEvent, string> {
  const known = idOf(call.destination.site, 'siteId');
  if (known !== null) return (await readSite(vendor, call, known)).id;
  const { id } = await makeNamedSite(vendor, call);
  yield { type: 'site', site: { siteId: id } };
  return id;
}

async function makeNamedSite(vendor: Vendor, call: PlatformCall) {
  const { slug, id } = call.destination;
  try {
    return await makeSite(vendor, call, slug);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'name_taken') throw error;
    return makeSite(vendor, call, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`);
  }
}

/** Takes the site away; one that is gone, or was never made, is no error. */
export async function dropSite(vendor: Vendor, call: PlatformCall): Promise<void> {
  const siteId = idOf(call.destination.site, 'siteId');
  if (siteId === null) return;
  await removeSite(vendor, call, siteId).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

export function isMissing(error: unknown): boolean {
  return error instanceof AppError && error.code === 'platform_place_gone';
}

/** Returns a name out of a reference, when it has one. */
export function idOf(ref: PlatformRef | null, field: string): string | null {
  const value = ref?.[field];
  return typeof value === 'string' ? value : null;
}
