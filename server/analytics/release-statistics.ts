import type { ReleaseStatistics, ReleaseStatisticsInput } from '../../routers/schemas/analytics.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { AccountContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { PublicationModel, type PublicationRow } from '../database/models/publishing/publication.ts';
import { ReleaseModel, type ReleaseRow } from '../database/models/publishing/release.ts';
import { DAY_MS } from '../lib/durations.ts';

/** The newest releases in the range; more than anybody publishes by hand. */
const LOOKED_AT = 2_000;

type CountedRelease = Pick<ReleaseRow, '_id' | 'state' | 'totalBytes' | 'startedAt' | 'finishedAt'>;
type Published = Pick<PublicationRow, 'releaseId' | 'platform' | 'state'>;
type PlatformStatistics = ReleaseStatistics['platforms'][number];
type Destination = { platform: PlatformStatistics['platform']; outcome: Outcome; release: CountedRelease };
type Outcome = 'live' | 'failed' | 'cancelled' | 'running';

/** Returns results, durations and sizes of the releases of the last days on each platform. Throws `not_found`. */
export async function readReleaseStatistics(
  ctx: AccountContext,
  { deploymentId, days }: ReleaseStatisticsInput,
): Promise<ReleaseStatistics> {
  const { accountId } = ctx.actor;
  if (deploymentId !== undefined) await findDeployment(ctx, deploymentId);
  const since = new Date(ctx.now().getTime() - days * DAY_MS);
  const releases = await ReleaseModel.find(
    { accountId, createdAt: { $gte: since }, ...(deploymentId !== undefined && { deploymentId }) },
    { state: 1, totalBytes: 1, startedAt: 1, finishedAt: 1 },
  )
    .sort({ createdAt: -1, _id: -1 })
    .hint('account_newest')
    .limit(LOOKED_AT + 1)
    .lean<CountedRelease[]>();
  const counted = releases.slice(0, LOOKED_AT);
  const ofLooked = { accountId, releaseId: { $in: counted.map(({ _id }) => _id) } };
  const shown = { _id: 0, releaseId: 1, platform: 1, state: 1 };
  const publications = await PublicationModel.find(ofLooked, shown).hint('account_release').lean<Published[]>();
  return { platforms: statisticsOf(counted, publications), isCut: releases.length > LOOKED_AT };
}

/** Returns the platforms with the most releases first; simulated ones do not count. */
function statisticsOf(releases: readonly CountedRelease[], publications: readonly Published[]): PlatformStatistics[] {
  const byId = new Map(releases.map((release) => [release._id, release]));
  const all = publications.flatMap(({ releaseId, platform, state }) => {
    const release = byId.get(releaseId);
    return release === undefined ? [] : [{ platform, outcome: outcomeOf(release.state, state), release }];
  });
  const platforms = [...new Set(all.map(({ platform }) => platform))].filter((id) => !PLATFORMS[id].isSimulated);
  return platforms
    .map((platform) =>
      statisticsAt(
        platform,
        all.filter((one) => one.platform === platform),
      ),
    )
    .sort((one, other) => other.releases - one.releases);
}

function statisticsAt(platform: PlatformStatistics['platform'], all: readonly Destination[]): PlatformStatistics {
  const count = (outcome: Outcome): number => all.filter((one) => one.outcome === outcome).length;
  const durations = all.flatMap(({ outcome, release: { startedAt, finishedAt } }) =>
    outcome === 'live' && startedAt && finishedAt ? [finishedAt.getTime() - startedAt.getTime()] : [],
  );
  const sizes = all.map(({ release }) => release.totalBytes);
  return {
    platform,
    releases: all.length,
    live: count('live'),
    failed: count('failed'),
    cancelled: count('cancelled'),
    running: count('running'),
    medianMs: atShare(durations, 0.5),
    p95Ms: atShare(durations, 0.95),
    medianBytes: atShare(sizes, 0.5) ?? 0,
    largestBytes: atShare(sizes, 1) ?? 0,
  };
}

/**
 * Returns the outcome. Of several platforms one may have failed alone, or be waiting for the person while the release
 * is live at another. A replaced release went live as well, except where it had not arrived by then and never will.
 */
function outcomeOf(release: CountedRelease['state'], destination: string): Outcome {
  if (release === 'cancelled' || release === 'failed') return release;
  if (destination === 'failed') return 'failed';
  if (release === 'superseded') return destination === 'live' ? 'live' : 'cancelled';
  return release === 'live' && destination !== 'waiting' && destination !== 'publishing' ? 'live' : 'running';
}

/** Returns the smallest value that is at least as large as this share of all. */
function atShare(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
