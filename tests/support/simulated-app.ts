import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { Release } from '../../routers/schemas/releases.ts';
import type { Platform } from '../../server/platforms/platform.ts';
import type { Providers } from '../../server/service-context.ts';
import type { Person } from './app.ts';
import { get } from './host.ts';
import { makeDue } from './make-due.ts';
import { platforms } from './platforms.ts';
import { createPublishingApp, publish, type Site, startRelease } from './publishing.ts';
import { createTestVendor } from './simulated-world.ts';
import { simulated } from './standins/simulated/index.ts';

export type SimulatedApp = Awaited<ReturnType<typeof createSimulatedApp>>;

/** The test application with the simulated platform: nobody waits for anything but what the jobs are due. */
export async function createSimulatedApp(
  make: (apiUrl: string) => Platform = simulated.upload,
  more: Partial<Providers> = {},
) {
  const vendor = await createTestVendor();
  const waits: number[] = [];
  const app = await createPublishingApp({
    providers: {
      platforms: { ...platforms, simulated: make(vendor.apiUrl) },
      credentialsOf: () => ({ tokenOf: async () => 'a-secret-token', refused: async () => undefined }),
      wait: async (ms, signal) => {
        signal.throwIfAborted();
        waits.push(ms);
      },
      ...more,
    },
  });
  const person = await app.trialPerson();

  return {
    ...app,
    vendor,
    waits,
    person,
    create: (name: string) => person.caller.deployments.create({ name, platform: 'simulated' }),
    publish: (deployment: Pick<Deployment, 'id'>, site: Site) => publish(app, person, deployment, site),
    start: (deployment: Pick<Deployment, 'id'>, site: Site) => startRelease(app, person, deployment, site),
    /** Runs what is queued as if it were due, until the release is over or nobody works on it any more. */
    settle: (release: Pick<Release, 'id'>) => settle(app, person, release),
    /** Fetches a page of the site there. */
    look: async (url: string, path = '/') => {
      const { host, port } = new URL(url);
      return get(Number(port), host, path);
    },
    countSites: async () => (await vendor.records.all('sites')).length,
    countReleases: async () => (await vendor.records.all('releases')).length,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

const ROUNDS_MAX = 40;
const OVER = ['live', 'failed', 'cancelled', 'superseded'];

async function settle(
  app: { jobs: { drain(): Promise<void> } },
  person: Person,
  { id }: Pick<Release, 'id'>,
): Promise<Release> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const release = await person.caller.releases.get({ releaseId: id });
    if (OVER.includes(release.state)) return release;
    await makeDue();
    await app.jobs.drain();
  }
  throw new Error('The release is not over after many rounds.');
}
