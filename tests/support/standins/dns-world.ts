import type { DnsProviderId } from '../../../routers/schemas/dns-providers.ts';
import type { DnsProviderCall, DnsZone, RecordChange } from '../../../server/dns/provider.ts';
import type { DnsFault, DnsUnderTest, DnsWorld } from '../dns-suite.ts';
import { testEgress } from '../platforms.ts';
import type { Fault } from './faults.ts';
import { addHeldZone, dumpHeldZone, type HeldZone, heldZoneNamed, OURS, placeHeldSet } from './held-zones.ts';
import type { StandIn } from './stand-in.ts';

/** A token that opens everything for reading and nothing for writing. */
export const READING_TOKEN = 'a-token-that-only-reads';

/** The provider's side of the shared suite; `slowDown` is its own way to say so. */
export function heldWorld(standIn: StandIn<{ zones: Map<string, HeldZone> }>, slowDown: Fault): DnsWorld {
  const { zones } = standIn.state;
  const faults: Record<DnsFault, Fault> = {
    slow_down: slowDown,
    server_error: { how: 'status', status: 500 },
    html: { how: 'garbage', status: 502 },
  };
  return {
    dump: async () => dumpHeldZone(heldZoneNamed(zones, OURS)),
    place: async (set) => placeHeldSet(heldZoneNamed(zones, OURS), set),
    addZones: async (count) => {
      for (let added = 0; added < count; added += 1) addHeldZone(zones, `zone-${added}.test`);
    },
    fail: (fault, times) => standIn.fail('any', faults[fault], times),
    loseAnswer: () => {
      standIn.fail('change', { how: 'halfBody' });
      return () => standIn.requests.filter(({ step, method }) => step === 'change' && method !== 'GET').length;
    },
    drift: standIn.drift,
  };
}

export const WEB = `www.${OURS}`;

/** The change of the set of this type at `WEB` to other values; an empty list is a set that is not there. */
export function replacing(
  type: RecordChange['type'],
  before: string[],
  after: string[],
  ttlBefore = 600,
): RecordChange {
  const state = (values: string[], ttl = 600) => (values.length === 0 ? null : { ttl, values });
  return { type, name: WEB, before: state(before, ttlBefore), after: state(after) };
}

/** A provider over its stand-in with `ours.test` opened, for tests of what is its own; waits take no time. */
export async function openDns<Id extends DnsProviderId, State extends { zones: Map<string, HeldZone> }>(
  make: () => Promise<DnsUnderTest<Id> & { standIn: StandIn<State> }>,
  which: 'credentials' | 'narrowCredentials' = 'credentials',
) {
  const subject = await make();
  const { standIn, provider } = subject;
  const waits: number[] = [];
  const call: DnsProviderCall<Id> = {
    egress: testEgress(),
    credentials: subject[which] ?? subject.credentials,
    signal: new AbortController().signal,
    now: () => new Date(),
    wait: async (ms) => void waits.push(ms),
  };
  const ours = heldZoneNamed(standIn.state.zones, OURS);
  const zones = await provider.zones(call);
  const zone: DnsZone = zones.find(({ name }) => name === OURS) ?? { id: ours.id, name: OURS, apexAlias: null };
  standIn.requests.length = 0;
  return {
    standIn,
    waits,
    /** Returns the methods of the requested changes, in order. */
    changed: () => standIn.requests.filter(({ step }) => step === 'change').map(({ method }) => method),
    dump: () => dumpHeldZone(ours),
    place: (set: Parameters<typeof placeHeldSet>[1]) => placeHeldSet(ours, set),
    verify: () => provider.verify(call),
    zones: () => provider.zones(call),
    read: (name: string) => provider.read(call, zone, name),
    write: (changes: readonly RecordChange[]) => provider.write(call, zone, changes),
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}
