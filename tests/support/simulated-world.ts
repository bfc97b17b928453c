import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '../../server/platforms/platform.ts';
import type { DomainWorld, PlatformUnderTest, PlatformWorld } from './platform-harness.ts';
import type { Step } from './standins/faults.ts';
import { startVendor, type Vendor } from './standins/simulated/vendor/index.ts';

export type TestVendor = Vendor & { folder: string };

/** The simulated platform, listening, with a memory of its own in a temporary folder. */
export async function createTestVendor(): Promise<TestVendor> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-vendor-'));
  const vendor = await startVendor({ folder });
  return {
    ...vendor,
    folder,
    [Symbol.asyncDispose]: async () => {
      await vendor[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const STEPS: Record<Platform['capabilities']['publish'], readonly Step[]> = {
  upload: ['look', 'site', 'release', 'upload', 'finish', 'state'],
  viaGit: ['look', 'site', 'release', 'upload', 'state'],
  handOff: ['look'],
};

/** One of the three plays with its vendor, as the shared suite takes it. */
export async function simulatedUnderTest(make: (apiUrl: string) => Platform): Promise<PlatformUnderTest> {
  const vendor = await createTestVendor();
  const platform = make(vendor.apiUrl);
  return { platform, world: worldOf(vendor, platform), [Symbol.asyncDispose]: vendor[Symbol.asyncDispose] };
}

function worldOf(vendor: TestVendor, platform: Platform): PlatformWorld {
  let seen = 0;
  return {
    atOnce: platform.capabilities.publish === 'viaGit' ? 1 : 4,
    steps: STEPS[platform.capabilities.publish],
    countSites: async () => (await vendor.records.all('sites')).length,
    countReleases: async () => (await vendor.records.all('releases')).length,
    takeSent: () => {
      const sent = vendor.requests.slice(seen).filter(({ step }) => step === 'upload').length;
      seen = vendor.requests.length;
      return sent;
    },
    fail: vendor.fail,
    heal: vendor.heal,
    revoke: vendor.revoke,
    drift: vendor.drift,
    takeName: (name) => vendor.publishByHand(name, new Map()),
    deleteSites: async () => {
      for (const { id } of await vendor.records.all('sites')) await vendor.records.remove('sites', id);
    },
    ...(platform.attachDomain !== undefined && { domains: domainsOf(vendor, platform) }),
    byHand: async (call, request) => {
      const files = new Map<string, Buffer>();
      for (const [path, { sha256 }] of request.manifest) files.set(path, await call.store.readWhole(sha256));
      await vendor.publishByHand(call.destination.slug, files);
    },
  };
}

function domainsOf(vendor: TestVendor, platform: Platform): DomainWorld {
  const isViaGit = platform.capabilities.publish === 'viaGit';
  const names = () => vendor.records.all('domains');
  return {
    manner: {
      apex: isViaGit ? ['A'] : ['A', 'ALIAS'],
      proof: isViaGit ? 'never' : 'whenTaken',
      max: isViaGit ? 1 : null,
      isCertificateAskedFor: !isViaGit,
    },
    steps: {
      attach: ['domains', 'attach'],
      read: ['domains'],
      detach: ['domains', 'detach'],
      request: ['domains', 'certificate'],
    },
    countNames: async () => (await names()).length,
    countOrders: async () => (await names()).reduce((sum, { orders }) => sum + orders, 0),
    take: vendor.takeDomain,
    place: vendor.placeRecords,
  };
}
