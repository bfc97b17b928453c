import { githubPages } from '../../../../server/publishing/platforms/github-pages/index.ts';
import type { PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import type { StandIn, StandInOptions } from '../stand-in.ts';
import { startGithub } from './index.ts';
import { namesOf } from './pages.ts';
import { type GithubState, initialize, newRepository, OWNER, type RepositoryRecord } from './state.ts';

/** A silence is a fraction of a second here. */
const SILENCE_MS = 2_000;

export type GithubUnderTest = PlatformUnderTest & { world: PlatformWorld; standIn: StandIn<GithubState> };

/** The adapter with its stand-in, as the shared suite takes it. */
export async function githubUnderTest(more: Partial<StandInOptions<GithubState>> = {}): Promise<GithubUnderTest> {
  const standIn = await startGithub(more);
  return {
    platform: githubPages({ apiUrl: standIn.apiUrl, silenceMs: SILENCE_MS }),
    standIn,
    world: worldOf(standIn),
    [Symbol.asyncDispose]: standIn[Symbol.asyncDispose],
  };
}

function worldOf(standIn: StandIn<GithubState>): PlatformWorld {
  const { state } = standIn;
  const repositories = (): RepositoryRecord[] => [...state.repositories.values()];
  const names = (): string[] => repositories().flatMap(namesOf);
  let seen = 0;
  return {
    steps: ['look', 'site', 'upload', 'release', 'finish', 'state'],
    atOnce: 1,
    countSites: async () => state.repositories.size,
    countReleases: async () => repositories().flatMap(releasesOf).length,
    takeSent: () => {
      const sent = state.sent - seen;
      seen = state.sent;
      return sent;
    },
    fail: standIn.fail,
    heal: standIn.heal,
    keepTime: standIn.keepTime,
    revoke: standIn.revoke,
    drift: standIn.drift,
    takeName: async (name) => initialize(newRepository(state, OWNER, name)),
    deleteSites: async () => state.repositories.clear(),
    domains: {
      manner: { apex: ['A', 'ALIAS'], proof: 'never', max: 1, isCertificateAskedFor: false },
      steps: {
        attach: ['domains', 'attach'],
        read: ['domains', 'certificate'],
        detach: ['domains', 'attach'],
        request: [],
      },
      countNames: async () => names().length,
      countOrders: async () => 0,
      take: async (name) => void state.elsewhere.add(name),
      place: (records) => void state.zone.push(...records),
    },
  };
}

/** Commits of ours that a branch shows, however they got there. */
export function releasesOf({ branches, commits }: RepositoryRecord): string[] {
  const queue = [...branches.values()];
  const found = new Set<string>();
  for (const sha of queue) {
    if (found.has(sha)) continue;
    found.add(sha);
    queue.push(...(commits.get(sha)?.parents ?? []));
  }
  return [...found].filter((sha) => commits.get(sha)?.message.startsWith('Release '));
}
