import { replit } from '../../../../server/publishing/platforms/replit/index.ts';
import type { PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import { type StandIn, startStandIn } from '../stand-in.ts';

/** The sites that a person has published there by hand, by name: there is no API to ask. */
export type ReplitState = { sites: Map<string, ReadonlyMap<string, Buffer>> };
/** A loopback name (RFC 6761) stands in for replit.app. */
const ZONE = 'replit.localhost';
const NONE = { status: 404, body: 'Not found' };

export type Replit = StandIn<ReplitState> & {
  publishByHand(name: string, files: Readonly<Record<string, string>>): string;
};

/** Starts what answers visitors of static deployments. */
export async function startReplit(): Promise<Replit> {
  const standIn = await startStandIn<ReplitState>({
    state: { sites: new Map() },
    description: null,
    routes: [],
    refusals: { token: NONE, unknown: NONE },
    visit: async ({ sites }, host, path) => {
      const files = sites.get(host.slice(0, -`.${ZONE}`.length));
      const name = decodeURIComponent(path).slice(1);
      const bytes = files?.get(name === '' || name.endsWith('/') ? `${name}index.html` : name);
      return bytes === undefined ? { status: 404, bytes: Buffer.from('Not found') } : { status: 200, bytes };
    },
  });
  return {
    ...standIn,
    publishByHand: (name, files) => {
      const entries = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const);
      standIn.state.sites.set(name, new Map(entries));
      return `http://${name}.${ZONE}:${standIn.port}`;
    },
  };
}

/** The adapter with what a person does there, as the shared suite takes it. */
export async function replitUnderTest(): Promise<PlatformUnderTest & { world: PlatformWorld; standIn: Replit }> {
  const standIn = await startReplit();
  const { sites } = standIn.state;
  const world: PlatformWorld = {
    atOnce: 4,
    steps: [],
    countSites: async () => sites.size,
    countReleases: async () => sites.size,
    takeSent: () => 0,
    fail: standIn.fail,
    heal: standIn.heal,
    revoke: standIn.revoke,
    drift: standIn.drift,
    takeName: async (name) => void standIn.publishByHand(name, {}),
    deleteSites: async () => sites.clear(),
    byHand: async ({ store, destination }, request) => {
      const files: Record<string, string> = {};
      for (const [path, { sha256 }] of request.manifest) files[path] = (await store.readWhole(sha256)).toString();
      request.confirmedUrl = standIn.publishByHand(destination.slug, files);
    },
  };
  return { platform: replit(), standIn, world, [Symbol.asyncDispose]: standIn[Symbol.asyncDispose] };
}
