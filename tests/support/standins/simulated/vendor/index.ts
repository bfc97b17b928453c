import { type StandIn, startStandIn } from '../../stand-in.ts';
import { ROUTES } from './api.ts';
import { ELSEWHERE } from './domains.ts';
import { createRecords, type Records, sha256Of } from './records.ts';
import { NOT_THERE, refused, type World, type ZoneRecord } from './route.ts';
import { pageOf } from './serve.ts';

/** Names under which its sites are served: loopback names (RFC 6761), so that they can be opened on this machine. */
const SITES_DOMAIN = 'simulated.localhost';

export type Vendor = StandIn<World> & {
  records: Records;
  /** Does by hand what an API would do: these files are the site of that name from now on. */
  publishByHand(name: string, files: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Does what a person does at their DNS provider: these records are answered from now on. */
  placeRecords(records: readonly ZoneRecord[]): void;
  /** Another account has this domain. */
  takeDomain(name: string): Promise<void>;
};

/**
 * Returns a hosting platform of our own: its API, and the sites that were published to it. What it knows is in `folder`
 * and outlives it; what it is to do wrong is not.
 */
export async function startVendor({ folder }: { folder: string }): Promise<Vendor> {
  const records = createRecords(folder);
  await records.open();
  const state: World = { records, zone: [] };
  const standIn = await startStandIn<World>({
    state,
    description: 'simulated',
    base: '/api',
    routes: ROUTES.map(({ answer, ...route }) => ({
      ...route,
      answer: (call) => {
        const addressOf = (name: string): string => `http://${name}.${SITES_DOMAIN}:${new URL(call.origin).port}`;
        return answer({ ...call, ...call.state, addressOf });
      },
    })),
    refusals: { token: refused(401, 'token', 'Bad credentials'), unknown: NOT_THERE },
    visit: (world, host, path) => pageOf(world.records, host.slice(0, -SITES_DOMAIN.length - 1), path),
  });
  return {
    ...standIn,
    records,
    publishByHand: (name, files) => publishByHand(records, name, files),
    placeRecords: (placed) => void state.zone.push(...placed),
    takeDomain: async (name) => void (await records.takeName(name, ELSEWHERE)),
  };
}

async function publishByHand(records: Records, name: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const named: Record<string, string> = {};
  for (const [path, bytes] of files) {
    named[path] = sha256Of(bytes);
    await records.writeBlob(sha256Of(bytes), bytes);
  }
  const known = await records.siteByName(name);
  const site = known ?? { id: records.newId(), name, owner: 'by hand', published: null, head: null };
  const release = { id: records.newId(), site: site.id, key: '', files: named, state: 'ready', ahead: [] };
  await records.write('releases', { ...release, goesPublic: true });
  await records.write('sites', { ...site, published: release.id });
  if (known === null) await records.takeName(name, site.id);
}
