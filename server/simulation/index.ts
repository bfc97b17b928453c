import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type {
  ListSimulatedFailuresInput,
  RunSimulationInput,
  SimulatedFailure,
  SimulatedScene,
  Simulation,
} from '../../routers/schemas/simulation.ts';
import { lostText } from '../../routers/schemas/state-names.ts';
import { countAgainst } from '../account/rate-limit.ts';
import type { AccountContext } from '../context.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { type Cast, SIMULATED_ID } from './cast.ts';
import { type CheckFailure, checkFailures } from './check-failures.ts';
import { type DomainFailure, domainFailures } from './domain-failures.ts';
import { playDomain, zoneAtEnd } from './play-domain.ts';
import { playRelease } from './play-release.ts';
import { playChecks, playReport } from './play-report.ts';
import { releaseFailures } from './release-failures.ts';

/**
 * Simulates a deployment, with the failure that a person chooses. It has no row, no job, no file and no question to
 * anybody, so that nothing of it can be counted, listed or taken for real: it is a list of scenes, which are returned
 * and forgotten. The rules are real: errors are made where a platform's own are, DNS is queried as usual and only its
 * answers are invented, an authority's problems are sorted by the same table, and every scene has the shape of the
 * real answers.
 */
const RUNS_PER_MINUTE = 60;
/** The time between two looks at a report. */
const LOOK_MS = 700;
const FIRST = { id: SIMULATED_ID, number: 1 };
const HANDED = {
  destination: { id: SIMULATED_ID, slug: 'your-site', isSinglePage: false, target: null, options: {}, site: null },
};
const EXAMPLE = { count: 24, totalBytes: 1_400_000 };

/** Returns the possible failures there, each as the sentence that a person would read. */
export async function listSimulatedFailures(
  ctx: AccountContext,
  input: ListSimulatedFailuresInput,
): Promise<SimulatedFailure[]> {
  const { platform } = input;
  const cast: Cast = { platform, title: PLATFORMS[platform].title, startedAt: ctx.now(), handOff: null };
  const { ofRelease, ofDomain, ofChecks } = failuresOf(cast, input);
  return [
    ...ofRelease.map(({ id, step, error }) => ({ id, step, message: error.message })),
    ...(await Promise.all(
      ofDomain.map(async (failure) => {
        const { id, step } = failure;
        return { id, step, message: await messageOf(cast, failure) };
      }),
    )),
    ...(await Promise.all(
      ofChecks.map(async (failure) => {
        const { id, step } = failure;
        return { id, step, message: await findingOf(cast, failure) };
      }),
    )),
  ];
}

/**
 * Plays the simulation. Throws `rate_limited`, and `validation_failed` on `failure` for one that cannot happen there.
 */
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
    handOff: ctx.providers.platforms[platform]?.handOff?.(HANDED, { release: FIRST, knownUrl: null }) ?? null,
  };
  const { ofRelease, ofDomain, ofChecks } = failuresOf(cast, input);
  const release = ofRelease.find((one) => one.id === id) ?? null;
  const domain = ofDomain.find((one) => one.id === id) ?? null;
  const check = ofChecks.find((one) => one.id === id) ?? null;
  if (id !== undefined && release === null && domain === null && check === null) {
    const message = 'This failure cannot be simulated for that platform.';
    throw new AppError('validation_failed', message, { field: 'failure', fieldErrors: { failure: message } });
  }
  const domainScenes = takesDomain(input) ? await playDomain(cast, domain) : [];
  const added = domainScenes[0]?.domain ?? null;
  const nothing = { certificate: null, report: null };
  const scenes: SimulatedScene[] = playRelease(cast, files, release).map((scene) => ({
    ...scene,
    ...{ domain: added, ...nothing },
  }));
  const last = scenes.at(-1);
  if (last?.release.state !== 'live') return { scenes };
  let scene: SimulatedScene = last;
  const goOn = (afterMs: number, more: Partial<SimulatedScene>): void => {
    scene = { ...scene, ...more, atMs: scene.atMs + afterMs };
    scenes.push(scene);
  };
  for (const { afterMs, domain, certificate } of domainScenes.slice(1)) goOn(afterMs, { domain, certificate });
  for (const report of await reportOf(cast, scene, { domain, check })) goOn(LOOK_MS, { report });
  return { scenes };
}

type Failures = { domain: DomainFailure | null; check: CheckFailure | null };

/**
 * Plays the report. A domain that another account has proved does not point here: the site has its own address alone.
 */
function reportOf(cast: Cast, { domain, certificate }: SimulatedScene, failed: Failures) {
  if (failed.check !== null) return playChecks(cast, failed.check);
  if (domain === null || domain.lostTo !== undefined) return playReport(cast, { domain: null, failure: null });
  const isCertified =
    certificate?.state === 'issued' ||
    domain.atPlatform?.answers.every((answer) => answer.certificate.state === 'ok') === true;
  return playReport(cast, { domain: { zone: zoneAtEnd(cast, failed.domain), isCertified }, failure: null });
}

/** Returns the sentence that a person reads at the end of this failure; the domain is played to find it. */
async function messageOf(cast: Cast, failure: DomainFailure): Promise<string> {
  if (failure.isLost === true) return `${lostText()}.`;
  if (failure.answer !== undefined) return failure.answer.text;
  const last = (await playDomain(cast, failure)).at(-1);
  return (failure.step === 'certificate' ? last?.certificate : last?.domain)?.problem?.message ?? '';
}

/** Returns the sentence of the check that fails in this way. */
async function findingOf(cast: Cast, failure: CheckFailure): Promise<string> {
  const looks = await playChecks(cast, failure);
  return looks.at(-1)?.checks.find(({ id }) => id === failure.check)?.seen ?? '';
}

function failuresOf(cast: Cast, input: ListSimulatedFailuresInput) {
  const hasDomain = takesDomain(input);
  return {
    ofRelease: releaseFailures(cast.platform, cast.title),
    ofDomain: hasDomain ? domainFailures(cast) : [],
    ofChecks: hasDomain ? checkFailures(cast) : [],
  };
}

function takesDomain({ platform, withDomain }: ListSimulatedFailuresInput): boolean {
  return withDomain && domainsRefusal(platform) === null;
}
