import { expect } from 'vitest';
import type { HostingPlatform } from '../../routers/schemas/platforms/ids.ts';
import type { Providers } from '../../server/context.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import type { Platform } from '../../server/publishing/platforms/platform.ts';
import { addRelease } from './host.ts';
import { createPlatformApp, ONE } from './platform-app.ts';
import { platforms } from './platforms.ts';
import { newSite } from './standins/netlify/state.ts';
import { netlifyUnderTest } from './standins/netlify/world.ts';
import { TOKEN } from './standins/stand-in.ts';
import { vercelUnderTest } from './standins/vercel/world.ts';

/** Somebody with an account at Netlify and at Vercel, both played. */
export async function createTwoPlatforms(
  providers: Partial<Providers> = {},
  change: (platform: Platform) => Platform = (platform) => platform,
) {
  const vercel = await vercelUnderTest();
  const app = await createPlatformApp(netlifyUnderTest, {
    change,
    providers: { ...providers, platforms: { ...platforms, vercel: change(vercel.platform) } },
  });
  const { deployments, settle } = app;
  await app.connections.connect({ provider: 'vercel', token: TOKEN });
  return {
    ...app,
    netlify: app.played,
    vercel,
    /** Stored as live at Netlify, as if it had been published there: tests of its domains need no more. */
    async liveAtNetlify(name: string): Promise<string> {
      const { id, slug } = await deployments.create({ name, platform: 'netlify' });
      const site = newSite(slug, 'harbour');
      app.standIn.state.sites.set(site.id, site);
      const { releaseId } = await addRelease(app, slug, ONE, 'live');
      const place = { state: 'live', site: { siteId: site.id, askedFor: releaseId }, releaseId };
      const at = Object.entries(place).map(([field, value]) => [`destinations.0.${field}`, value]);
      const live = { ...Object.fromEntries(at), currentReleaseId: releaseId, state: 'live' };
      await DeploymentModel.updateOne({ _id: id, accountId: app.person.user.id }, { $set: live });
      return id;
    },
    /** Live at Netlify with its first release, and at Vercel as well. */
    async createOnBoth(name: string) {
      const { id: deploymentId } = await app.create(name);
      const first = await app.publish({ id: deploymentId }, ONE);
      const begun = await deployments.addDestination({ deploymentId, platform: 'vercel' });
      await settle();
      return { deploymentId, first, begun, deployment: await deployments.get({ deploymentId }) };
    },
    async textAt(deploymentId: string, platform: HostingPlatform): Promise<string> {
      const { destinations } = await deployments.get({ deploymentId });
      return app.textAt(destinations.find((one) => one.platform === platform)?.url ?? '');
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await vercel[Symbol.asyncDispose]();
      expect(vercel.standIn.drift).toEqual([]);
    },
  };
}
