import { expect } from 'vitest';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { HostingPlatform } from '../../routers/schemas/platforms/ids.ts';
import { JobModel } from '../../server/models/job.ts';
import type { Providers } from '../../server/service-context.ts';
import { get } from './host.ts';
import { makeDue } from './make-due.ts';
import { platforms } from './platforms.ts';
import { createPublishingApp, publish, type Site } from './publishing.ts';
import { netlifyUnderTest } from './standins/netlify/world.ts';
import { TOKEN } from './standins/stand-in.ts';
import { vercelUnderTest } from './standins/vercel/world.ts';

export const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}', '404.html': 'gone' };
export const TWO = { ...ONE, 'index.html': '<h1>two</h1>' };

/** Somebody with an account at Netlify and at Vercel, both played. */
export async function createTwoPlatforms(providers: Partial<Providers> = {}) {
  const netlify = await netlifyUnderTest();
  const vercel = await vercelUnderTest();
  const app = await createPublishingApp({
    providers: {
      platforms: { ...platforms, netlify: netlify.platform, vercel: vercel.platform },
      wait: async (_ms, signal) => signal.throwIfAborted(),
      ...providers,
    },
  });
  const person = await app.trialPerson();
  const { deployments, releases, connections } = person.caller;
  await connections.connect({ provider: 'netlify', token: TOKEN });
  await connections.connect({ provider: 'vercel', token: TOKEN });

  /** Everything that is queued, also what waits for its time; the checks of a domain come back for as long as it is here. */
  async function settle(): Promise<void> {
    const open = { status: 'queued' as const, accountId: person.user.id, name: { $ne: 'check-domain' as const } };
    for (let round = 0; round < 30 && (round === 0 || (await JobModel.exists(open)) !== null); round += 1) {
      await makeDue();
      await app.jobs.drain();
    }
  }
  return {
    ...app,
    netlify,
    vercel,
    person,
    deployments,
    releases,
    settle,
    async publish(deployment: Pick<Deployment, 'id'>, site: Site) {
      const { id } = await publish(app, person, deployment, site);
      await settle();
      return releases.get({ releaseId: id });
    },
    /** Live at Netlify with its first release, and at Vercel as well. */
    async createOnBoth(name: string) {
      const { id: deploymentId } = await deployments.create({ name, platform: 'netlify' });
      const first = await this.publish({ id: deploymentId }, ONE);
      const begun = await deployments.addDestination({ deploymentId, platform: 'vercel' });
      await settle();
      return { deploymentId, first, begun, deployment: await deployments.get({ deploymentId }) };
    },
    async textAt(deploymentId: string, platform: HostingPlatform): Promise<string> {
      const { destinations } = await deployments.get({ deploymentId });
      const { host, port } = new URL(destinations.find((one) => one.platform === platform)?.url ?? '');
      return (await get(Number(port), host, '/')).text;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      // Else whoever makes jobs due in the next test of the file would have these done as well.
      await JobModel.deleteMany({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' });
      await netlify[Symbol.asyncDispose]();
      await vercel[Symbol.asyncDispose]();
      expect([...netlify.standIn.drift, ...vercel.standIn.drift]).toEqual([]);
    },
  };
}
