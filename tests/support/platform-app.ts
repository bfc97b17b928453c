import { expect } from 'vitest';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import { CONNECTION_PROVIDERS } from '../../routers/schemas/platforms/ids.ts';
import type { Release, ReleaseDetail } from '../../routers/schemas/releases.ts';
import type { Providers } from '../../server/context.ts';
import { JobModel } from '../../server/database/models/job.ts';
import { githubPages } from '../../server/publishing/platforms/github-pages/index.ts';
import type { Platform } from '../../server/publishing/platforms/platform.ts';
import { get } from './get.ts';
import { makeDue } from './make-due.ts';
import type { InWorld } from './platform-harness.ts';
import { platforms } from './platforms.ts';
import { createPublishingApp, type Site, startRelease } from './publishing.ts';
import type { Step } from './standins/faults.ts';
import { type StandIn, TOKEN } from './standins/stand-in.ts';

export const ONE = { 'index.html': '<h1>one</h1>', 'style.css': 'p {}', '404.html': 'gone' };
export const TWO = { ...ONE, 'index.html': '<h1>two</h1>' };

/** An adapter with its stand-in, and with that of GitHub where the files go there. */
export type Played = InWorld & { standIn: StandIn<unknown>; github?: StandIn<unknown> };
export type PlatformApp = Awaited<ReturnType<typeof createPlatformApp>>;

export type PlatformAppOptions = {
  /** Changes what the adapter is or does, for what no stand-in can play. */
  change?(platform: Platform): Platform;
  providers?: Partial<Providers>;
};

/** Somebody with an account at one platform, played by its stand-in: nobody waits for anything but what jobs are due. */
export async function createPlatformApp<Under extends Played>(
  make: () => Promise<Under>,
  { change = (platform) => platform, providers = {} }: PlatformAppOptions = {},
) {
  const played = await make();
  const { platform, world, github } = played;
  const standIn: Under['standIn'] = played.standIn;
  const app = await createPublishingApp({
    providers: {
      wait: async (_ms, signal) => signal.throwIfAborted(),
      ...providers,
      platforms: {
        ...platforms,
        ...(github && { 'github-pages': githubPages({ apiUrl: github.apiUrl }) }),
        ...providers.platforms,
        [platform.id]: change(platform),
      },
    },
  });
  const person = await app.trialPerson();
  const { connections, deployments, releases } = person.caller;
  const connected = CONNECTION_PROVIDERS.filter((id) => id === platform.id || (github && id === 'github-pages'));
  for (const provider of connected) await connections.connect({ provider, token: TOKEN });
  const agreed = platform.capabilities.requires.filter((one) => one !== 'connection');
  const options = Object.fromEntries(agreed.map((one) => [one, true]));

  /** Everything that is queued, also what waits for its time; the checks of a domain come back for as long as it is here. */
  async function settle(): Promise<void> {
    const open = { status: 'queued' as const, accountId: person.user.id, name: { $ne: 'check-domain' as const } };
    for (let round = 0; round < 30 && (round === 0 || (await JobModel.exists(open)) !== null); round += 1) {
      await makeDue();
      await app.jobs.drain();
    }
  }
  const start = (deployment: Pick<Deployment, 'id'>, site: Site) => startRelease(app, person, deployment, site);
  async function settled({ id: releaseId }: Pick<Release, 'id'>): Promise<ReleaseDetail> {
    await settle();
    return releases.get({ releaseId });
  }
  return {
    ...app,
    played,
    world,
    standIn,
    person,
    connections,
    deployments,
    releases,
    create: (name: string) => deployments.create({ name, platform: platform.id, options }),
    /** A release that is queued. */
    start,
    settle,
    /** The release after everything that is queued. */
    settled,
    publish: async (deployment: Pick<Deployment, 'id'>, site: Site) => settled(await start(deployment, site)),
    requestsOf: (step: Step) => standIn.requests.filter((request) => request.step === step),
    async textAt(url: string, path = '/'): Promise<string> {
      const { host, port, pathname } = new URL(url);
      return (await get(Number(port), host, `${pathname.replace(/\/$/, '')}${path}`)).text;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      // Otherwise a later test of the file that makes jobs due would run these as well.
      await JobModel.deleteMany({ status: 'queued' }).setOptions({ acrossAccounts: 'jobs' });
      await played[Symbol.asyncDispose]();
      expect(world.drift).toEqual([]);
    },
  };
}
