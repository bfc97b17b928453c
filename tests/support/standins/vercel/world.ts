import { vercel } from '../../../../server/publishing/platforms/vercel/index.ts';
import type { DomainWorld, PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import type { StandIn } from '../stand-in.ts';
import { startVercel } from './index.ts';
import { dropProject, makeProject } from './projects.ts';
import type { VercelState } from './state.ts';

/** A minute there is a fraction of a second here. */
const SILENCE_MS = 1_500;

export type VercelUnderTest = PlatformUnderTest & { world: PlatformWorld; standIn: StandIn<VercelState> };

/** The adapter with its stand-in, as the shared suite takes it. */
export async function vercelUnderTest(): Promise<VercelUnderTest> {
  const standIn = await startVercel();
  const platform = vercel({ apiUrl: standIn.apiUrl, silenceMs: SILENCE_MS });
  return { platform, standIn, world: worldOf(standIn), [Symbol.asyncDispose]: standIn[Symbol.asyncDispose] };
}

function worldOf(standIn: StandIn<VercelState>): PlatformWorld {
  const { state } = standIn;
  let seen = 0;
  return {
    atOnce: 50,
    steps: ['look', 'site', 'release', 'upload', 'state'],
    countSites: async () => state.projects.size,
    countReleases: async () => state.deployments.size,
    takeSent: () => {
      const before = seen;
      seen = countSent(standIn);
      return seen - before;
    },
    fail: standIn.fail,
    heal: standIn.heal,
    keepTime: standIn.keepTime,
    revoke: standIn.revoke,
    drift: standIn.drift,
    takeName: async (name) => void makeProject(state, '', { name }),
    deleteSites: async () => {
      for (const id of state.projects.keys()) dropProject(state, id);
    },
    domains: domainsOf(state),
  };
}

/** Returns how many of a person's files were sent, without the adapter's own configuration. */
function countSent({ requests, state }: StandIn<VercelState>): number {
  return requests.filter(({ step }) => step === 'upload').length - state.configsSent;
}

function domainsOf({ domains, elsewhere, zone }: VercelState): DomainWorld {
  return {
    manner: { apex: ['A'], proof: 'whenTaken', max: null, isCertificateAskedFor: false },
    steps: {
      attach: ['domains', 'attach', 'certificate'],
      read: ['domains', 'certificate'],
      detach: ['domains', 'detach'],
      request: [],
    },
    countNames: async () => domains.size,
    countOrders: async () => 0,
    take: async (name) => void elsewhere.add(name),
    place: (records) => void zone.push(...records),
  };
}
