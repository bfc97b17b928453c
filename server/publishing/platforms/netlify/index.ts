import { netlifyCapabilities } from '../../../../routers/schemas/platforms/capabilities/netlify.ts';
import type { Platform } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { cancelDeploy, netlifyAt, readDeploy, readTeams, readUser, toPlatformRelease } from './api.ts';
import { attachDomain, detachDomain, readDomain, requestCertificate } from './domains.ts';
import { deployRefOf, publish, restore } from './publish.ts';
import { dropSite } from './site.ts';

/** Creates the adapter for Netlify at the address of its API. `silenceMs` is the longest wait for an answer. */
export function netlify({ apiUrl, silenceMs }: { apiUrl: string; silenceMs?: number }): Platform {
  const vendor = netlifyAt(apiUrl, silenceMs);
  return {
    id: 'netlify',
    capabilities: netlifyCapabilities,
    verify: async (call) => ({ ...(await readUser(vendor, call)), warnings: [] }),
    listTargets: async (call) =>
      (await readTeams(vendor, call)).map(({ slug, name }) => ({ id: slug, name: name ?? slug })),
    publish: (call, request) => publish(vendor, call, request),
    release: async (call, ref) => toPlatformRelease(vendor, await readDeploy(vendor, call, deployRefOf(ref))),
    async cancel(call, ref) {
      const deploy = deployRefOf(ref);
      const isOnItsWay = async (): Promise<boolean> => {
        const found = await nullIfNotFound(readDeploy(vendor, call, deploy));
        const state = found === null ? null : toPlatformRelease(vendor, found).state;
        return state !== null && !['verifying', 'failed', 'cancelled'].includes(state);
      };
      if (!(await isOnItsWay())) return;
      await cancelDeploy(vendor, call, deploy.deployId).catch(async (error: unknown) => {
        if (await isOnItsWay()) throw error;
      });
    },
    restore: (call, { ref }) => restore(vendor, call, ref),
    remove: (call) => dropSite(vendor, call),
    attachDomain: (call, name) => attachDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => detachDomain(vendor, call, name),
    requestCertificate: (call, name) => requestCertificate(vendor, call, name),
  };
}
