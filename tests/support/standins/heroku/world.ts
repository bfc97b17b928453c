import { heroku } from '../../../../server/publishing/platforms/heroku/index.ts';
import type { DomainWorld, PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import type { StandIn } from '../stand-in.ts';
import { startHeroku } from './index.ts';
import { dropApp, type HerokuState, newApp } from './state.ts';

/** A minute there is a fraction of a second here. */
const SILENCE_MS = 1_500;

export type HerokuUnderTest = PlatformUnderTest & { world: PlatformWorld; standIn: StandIn<HerokuState> };

/** The adapter with its stand-in, as the shared suite takes it. */
export async function herokuUnderTest(): Promise<HerokuUnderTest> {
  const standIn = await startHeroku();
  const platform = heroku({ apiUrl: standIn.apiUrl, silenceMs: SILENCE_MS });
  return { platform, standIn, world: worldOf(standIn), [Symbol.asyncDispose]: standIn[Symbol.asyncDispose] };
}

function worldOf(standIn: StandIn<HerokuState>): PlatformWorld {
  const { state, requests } = standIn;
  let seen = 0;
  return {
    atOnce: 1,
    sendsArchive: true,
    steps: ['look', 'site', 'release', 'upload', 'finish', 'state'],
    countSites: async () => state.apps.size,
    countReleases: async () => [...state.apps.values()].reduce((sum, { builds }) => sum + builds.length, 0),
    takeSent: () => {
      const sent = requests.slice(seen).filter(({ step }) => step === 'upload').length;
      seen = requests.length;
      return sent;
    },
    fail: standIn.fail,
    heal: standIn.heal,
    keepTime: standIn.keepTime,
    revoke: standIn.revoke,
    drift: standIn.drift,
    takeName: async (name) => void newApp(state, name, null, false),
    deleteSites: async () => {
      for (const id of state.apps.keys()) dropApp(state, id);
    },
    domains: domainsOf(state),
  };
}

function domainsOf({ domains, elsewhere, zone }: HerokuState): DomainWorld {
  return {
    manner: { apex: ['ALIAS'], proof: 'never', max: null, isCertificateAskedFor: false },
    steps: { attach: ['domains', 'attach', 'look'], read: ['domains'], detach: ['detach'], request: [] },
    countNames: async () => domains.size,
    countOrders: async () => 0,
    take: async (name) => void elsewhere.add(name),
    place: (records) => void zone.push(...records),
  };
}
