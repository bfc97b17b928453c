import { netlify } from '../../../../server/publishing/platforms/netlify/index.ts';
import type { PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import type { StandIn } from '../stand-in.ts';
import { startNetlify } from './index.ts';
import { namesOf } from './sites.ts';
import type { NetlifyReading, NetlifyState } from './state.ts';

/** A silence is a fraction of a second here: nobody waits for a platform that is played. */
const SILENCE_MS = 2_000;

export type NetlifyUnderTest = PlatformUnderTest & { world: PlatformWorld; standIn: StandIn<NetlifyState> };

/** Netlify's adapter with its stand-in, as the shared suite takes it. */
export async function netlifyUnderTest(reading: Partial<NetlifyReading> = {}): Promise<NetlifyUnderTest> {
  const standIn = await startNetlify(reading);
  const { state } = standIn;
  const attached = () => [...state.sites.values()].flatMap(namesOf);
  let seen = 0;
  return {
    platform: netlify({ apiUrl: standIn.apiUrl, silenceMs: SILENCE_MS }),
    standIn,
    world: {
      steps: ['look', 'site', 'release', 'upload', 'state'],
      atOnce: 20,
      countSites: async () => state.sites.size,
      countReleases: async () => [...state.deploys.values()].filter(({ siteId }) => state.sites.has(siteId)).length,
      takeSent: () => {
        const sent = standIn.requests.slice(seen).filter(({ step }) => step === 'upload').length;
        seen = standIn.requests.length;
        return sent;
      },
      fail: (step, fault, times) => {
        standIn.fail(step, fault, times);
        // A token that is refused for good is refused everywhere.
        if (step === 'upload' && fault.how === 'status' && fault.status === 401) standIn.fail('account', fault, times);
      },
      heal: standIn.heal,
      keepTime: standIn.keepTime,
      revoke: standIn.revoke,
      drift: standIn.drift,
      takeName: async (name) => void state.elsewhere.add(name),
      deleteSites: async () => state.sites.clear(),
      domains: {
        manner: { apex: ['A', 'ALIAS'], proof: 'never', max: null, isCertificateAskedFor: true },
        steps: {
          attach: ['domains', 'attach'],
          read: ['domains', 'state'],
          detach: ['domains', 'attach'],
          request: ['state', 'certificate'],
        },
        countNames: async () => attached().length,
        countOrders: async () =>
          [...state.sites.values()]
            .flatMap(({ orders }) => orders)
            .filter((names) => names.some((name) => attached().includes(name))).length,
        take: async (name) => void state.elsewhere.add(name),
        place: (records) => void state.zone.push(...records),
      },
    },
    [Symbol.asyncDispose]: standIn[Symbol.asyncDispose],
  };
}
