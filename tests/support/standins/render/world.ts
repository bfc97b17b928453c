import { render } from '../../../../server/publishing/platforms/render/index.ts';
import type { PlatformUnderTest, PlatformWorld } from '../../platform-harness.ts';
import type { Step } from '../faults.ts';
import { startGithub } from '../github-pages/index.ts';
import type { GithubState } from '../github-pages/state.ts';
import type { StandIn } from '../stand-in.ts';
import { type RenderState, startRender } from './index.ts';

const SILENCE_MS = 2_000;
/** Steps that are GitHub's: there the files go. */
const AT_GITHUB: readonly Step[] = ['look', 'site', 'upload', 'release'];

export type RenderUnderTest = PlatformUnderTest & {
  world: PlatformWorld;
  standIn: StandIn<RenderState>;
  github: StandIn<GithubState>;
};

/** The adapter between its two stand-ins, as the shared suite takes it. */
export async function renderUnderTest(): Promise<RenderUnderTest> {
  const github = await startGithub();
  const standIn = await startRender(github.state);
  const { state } = standIn;
  const names = () => [...state.services.values()].flatMap(({ domains }) => domains);
  let seen = 0;
  return {
    platform: render({ apiUrl: standIn.apiUrl, githubApiUrl: github.apiUrl, silenceMs: SILENCE_MS }),
    standIn,
    github,
    world: {
      steps: ['look', 'site', 'upload', 'release', 'finish', 'state'],
      makes: ['site', 'finish'],
      atOnce: 1,
      countSites: async () => state.services.size,
      countPlaces: async () => state.services.size + github.state.repositories.size,
      countReleases: async () => [...state.services.values()].flatMap(({ deploys }) => deploys).length,
      takeSent: () => {
        const sent = github.state.sent - seen;
        seen = github.state.sent;
        return sent;
      },
      fail: (step, fault, times) => (AT_GITHUB.includes(step) ? github : standIn).fail(step, fault, times),
      keepTime: (now) => {
        github.keepTime(now);
        standIn.keepTime(now);
      },
      heal: () => {
        github.heal();
        standIn.heal();
      },
      revoke: () => {
        github.revoke();
        standIn.revoke();
      },
      get drift() {
        return [...github.drift, ...standIn.drift];
      },
      takeName: async (name) => void state.taken.add(name),
      deleteSites: async () => state.services.clear(),
      domains: {
        manner: { apex: ['A', 'ALIAS'], proof: 'never', max: null, isCertificateAskedFor: false },
        steps: { attach: ['domains', 'attach'], read: ['domains', 'certificate'], detach: ['detach'], request: [] },
        countNames: async () => names().length,
        countOrders: async () => 0,
        take: async (name) => void state.elsewhere.add(name),
        place: (records) => void state.zone.push(...records),
      },
    },
    [Symbol.asyncDispose]: async () => {
      await standIn[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    },
  };
}
