import { parseSiteHost, parseUploadHost } from '../../lib/site-names.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { databaseUnavailable } from '../in-time.ts';
import type { createHeldNames } from './held-names.ts';
import type { createPreviews } from './previews.ts';
import { findDeploymentId, findPreview, findUpload } from './read-routes.ts';
import type { RouteReader } from './route-reader.ts';
import type { Routes } from './routes.ts';
import type { Route, SiteList } from './site-list.ts';

/** After this time the list on disk is searched, so that the visitor still gets an answer in time. */
const ASK_MS = 1_500;

type FinderDeps = {
  sitesDomain: string;
  routes: Routes;
  reader: RouteReader;
  held: ReturnType<typeof createHeldNames>;
  previews: ReturnType<typeof createPreviews>;
  list: Pick<SiteList, 'find'>;
  /** Returns the route of a host name from memory. */
  known(host: string): Route | undefined;
};

/** Finds host names that memory does not know: in the database, otherwise on the list. */
export function createFinder({ sitesDomain, routes, reader, held, previews, list, known }: FinderDeps) {
  /**
   * While the database is known to be away, the list is searched first, so that nobody waits in vain for a listed
   * site.
   */
  async function findLive(host: string, slug: string | undefined): Promise<Route | null> {
    if (reader.isBehind()) return (await findListed(host, slug)) ?? (await ask(host, slug));
    try {
      return await withTimeout(ask(host, slug), ASK_MS, () => Promise.reject(databaseUnavailable()));
    } catch (error) {
      const listed = await findListed(host, slug);
      if (listed === null) throw error;
      return listed;
    }
  }

  async function ask(host: string, slug: string | undefined): Promise<Route | null> {
    const deploymentId = await (slug === undefined ? held.findDeploymentId(host) : findDeploymentId(slug));
    if (deploymentId !== null) await reader.bring(deploymentId);
    const route = known(host);
    if (route === undefined && reader.isBehind()) throw databaseUnavailable();
    return route ?? null;
  }

  async function findListed(host: string, slug: string | undefined): Promise<Route | null> {
    const deploymentId = held.byName(host)?.deploymentId;
    if (slug === undefined && deploymentId === undefined) return null;
    const listed = await list.find(slug === undefined ? { deploymentId: deploymentId ?? '' } : { slug });
    if (listed === undefined) return null;
    // Meanwhile the database may have answered.
    if (known(host) === undefined) routes.restore(listed);
    return known(host) ?? null;
  }

  return async (host: string): Promise<Route | null> => {
    if (parseUploadHost(sitesDomain, host) !== null) return findUpload(sitesDomain, host);
    const name = parseSiteHost(sitesDomain, host);
    if (name === null || name.release === null) return findLive(host, name?.slug);
    const row = await findPreview(name.slug, name.release);
    if (row !== null) previews.set(host, { ...row, earlier: [] });
    return known(host) ?? null;
  };
}
