import { AppError } from '../../errors.ts';
import type { PlatformCall, PlatformRef, PublishEvent } from '../platform.ts';
import { makeSite, readSite, removeSite } from './api.ts';

/** Letters of the deployment's id behind a name that somebody else has. */
const SUFFIX_LENGTH = 6;

/** The site of the deployment's earlier releases, while it is still there; else a new one, named before it is used. */
export async function* ensureSite(call: PlatformCall): AsyncGenerator<PublishEvent, string> {
  const known = idOf(call.site, 'siteId');
  if (known !== null && (await isThere(call, known))) return known;
  const { id } = await makeNamedSite(call);
  yield { type: 'site', site: { siteId: id } };
  return id;
}

async function isThere(call: PlatformCall, siteId: string): Promise<boolean> {
  try {
    await readSite(call, siteId);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function makeNamedSite(call: PlatformCall) {
  const { slug, id } = call.deployment;
  try {
    return await makeSite(call, slug);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'name_taken') throw error;
    return makeSite(call, `${slug}-${id.slice(0, SUFFIX_LENGTH)}`);
  }
}

/** Takes the site away; one that is gone, or was never made, is no error. */
export async function dropSite(call: PlatformCall): Promise<void> {
  const siteId = idOf(call.site, 'siteId');
  if (siteId === null) return;
  await removeSite(call, siteId).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** It is gone there: no error for who wanted it away. */
export function isMissing(error: unknown): boolean {
  return error instanceof AppError && error.code === 'site_missing';
}

/** A name out of a reference, when it has one. */
export function idOf(ref: PlatformRef | null, field: string): string | null {
  const value = ref?.[field];
  return typeof value === 'string' ? value : null;
}
