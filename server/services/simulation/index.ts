import { domainsRefusal } from '../../../routers/schemas/platforms/domains-refusal.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type {
  ListSimulatedFailuresInput,
  RunSimulationInput,
  SimulatedFailure,
  SimulatedScene,
  Simulation,
} from '../../../routers/schemas/simulation.ts';
import { MINUTE_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import type { AccountContext } from '../../service-context.ts';
import { countAgainst } from '../rate-limit.ts';
import type { Cast } from './cast.ts';
import { domainFailures } from './domain-failures.ts';
import { messageOf } from './failure-messages.ts';
import { playDomain } from './play-domain.ts';
import { playRelease } from './play-release.ts';
import { releaseFailures } from './release-failures.ts';

/**
 * A deployment as it would go, with the failure that a person chooses. There is no row, no job, no file and no question
 * to anybody in it, so that nothing of it can be counted, listed or taken for real: it is a list of scenes, which are
 * answered and forgotten. What is real are the rules. Errors are made where a platform's own are, DNS is asked as ever and
 * only its answers are made up, an authority's problems are sorted by the same table, and every scene has the shape of the
 * real answers.
 */
const RUNS_PER_MINUTE = 60;
const EXAMPLE = { count: 24, totalBytes: 1_400_000 };

/** Returns what may go wrong there, each in the sentence that a person would read. */
export async function listSimulatedFailures(input: ListSimulatedFailuresInput): Promise<SimulatedFailure[]> {
  const { platform } = input;
  const cast: Cast = { platform, title: PLATFORMS[platform].title, startedAt: new Date(0) };
  const ofRelease = releaseFailures(platform, cast.title);
  const ofDomain = takesDomain(input) ? domainFailures(cast) : [];
  return [
    ...ofRelease.map(({ id, step, error }) => ({ id, step, message: error.message })),
    ...(await Promise.all(
      ofDomain.map(async (failure) => {
        const { id, step } = failure;
        return { id, step, message: await messageOf(cast, failure) };
      }),
    )),
  ];
}

/** Plays it through. Throws `rate_limited`, and `validation_failed` on `failure` for one that cannot happen there. */
export async function runSimulation(ctx: AccountContext, input: RunSimulationInput): Promise<Simulation> {
  const { accountId } = ctx.actor;
  await countAgainst({ name: 'simulations', key: accountId, limit: RUNS_PER_MINUTE, windowMs: MINUTE_MS });
  const { platform, failure: id, files = EXAMPLE } = input;
  const { title, isServedHere } = PLATFORMS[platform];
  // No sentence can be taken for one of the platform itself.
  const cast: Cast = {
    platform,
    title: isServedHere === true ? title : `Simulated ${title}`,
    startedAt: ctx.providers.now(),
  };
  const ofRelease = releaseFailures(platform, cast.title).find((one) => one.id === id) ?? null;
  const ofDomain = takesDomain(input) ? (domainFailures(cast).find((one) => one.id === id) ?? null) : null;
  if (id !== undefined && ofRelease === null && ofDomain === null) {
    const message = 'This cannot go wrong there.';
    throw new AppError('validation_failed', message, { field: 'failure', fieldErrors: { failure: message } });
  }
  const domainScenes = takesDomain(input) ? await playDomain(cast, ofDomain) : [];
  const added = domainScenes[0]?.domain ?? null;
  const scenes: SimulatedScene[] = playRelease(cast, files, ofRelease).map((scene) => ({
    ...scene,
    domain: added,
    certificate: null,
  }));
  const last = scenes.at(-1);
  if (last?.release.state !== 'live') return { scenes };
  let { atMs } = last;
  for (const { afterMs, domain, certificate } of domainScenes.slice(1)) {
    atMs += afterMs;
    scenes.push({ atMs, release: last.release, domain, certificate });
  }
  return { scenes };
}

function takesDomain({ platform, withDomain }: ListSimulatedFailuresInput): boolean {
  return withDomain && domainsRefusal(platform) === null;
}
