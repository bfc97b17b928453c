import { refusalByLimits } from '../../../routers/schemas/platforms/limits.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Providers } from '../../context.ts';
import { ArtifactModel, HASHES_A_QUERY } from '../../database/models/artifact.ts';
import type { DeploymentDoc } from '../../database/models/deployment.ts';
import type { DestinationDoc } from '../../database/models/destination.ts';
import type { ReleaseDoc } from '../../database/models/release.ts';
import { AppError } from '../../lib/errors.ts';
import type { HandOff, Platform, PlatformCall, PlatformRef } from '../../platforms/platform.ts';
import type { RunningJob } from '../../queue/handler.ts';
import type { Manifest } from '../../store/manifest.ts';
import { createHolding, createPatience } from './patience.ts';

type Reached = Pick<DeploymentDoc, 'accountId' | 'slug' | 'isSinglePage'>;

/**
 * Returns the context of an operation at one destination of the deployment, which ends with `signal`. `job` is that of
 * a release, whose worker is not held for long.
 */
export function platformCall(
  providers: Providers,
  deployment: Reached,
  destination: DestinationDoc,
  signal: AbortSignal,
  job?: Pick<RunningJob, 'waits' | 'isAside'>,
): PlatformCall {
  const { store, zips, egress, wait } = providers;
  const { isServedHere } = PLATFORMS[destination.platform];
  return {
    store,
    egress,
    wait,
    signal,
    openSpool: () => zips.openSpool(),
    patience: createPatience(job?.waits ?? { of: null, count: 0 }),
    ...(job !== undefined && { mayHold: createHolding(job.isAside) }),
    now: () => providers.now(),
    credentials: providers.credentialsOf(deployment.accountId, destination),
    destination: {
      id: destination._id,
      slug: isServedHere ? deployment.slug : (destination.wantedName ?? deployment.slug),
      isSinglePage: deployment.isSinglePage,
      target: destination.targetId ?? null,
      options: destination.options ?? {},
      site: storedRef(destination.site),
    },
  };
}

/** Returns the steps left to the person at the first hand-off destination; null when there is none. */
export function handOffOf(
  providers: Providers,
  deployment: DeploymentDoc,
  release: Pick<ReleaseDoc, '_id' | 'number'>,
): HandOff | null {
  for (const destination of deployment.destinations) {
    const platform = providers.platforms[destination.platform];
    if (platform?.handOff === undefined) continue;
    const call = platformCall(providers, deployment, destination, new AbortController().signal);
    const { _id: id, number } = release;
    return platform.handOff(call, { release: { id, number }, knownUrl: destination.url ?? null });
  }
  return null;
}

/** The fields are free in their schemas; only references that an adapter named are ever written to them. */
export function storedRef(stored: unknown): PlatformRef | null {
  return (stored ?? null) as PlatformRef | null;
}

/** Returns the SHA-1 of contents by their SHA-256, as it was computed when they arrived. */
export async function readSha1s(accountId: string, sha256s: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let start = 0; start < sha256s.length; start += HASHES_A_QUERY) {
    const some = sha256s.slice(start, start + HASHES_A_QUERY);
    const rows = await ArtifactModel.find({ accountId, sha256: { $in: some } }, { sha256: 1, sha1: 1 }).lean();
    for (const { sha256, sha1 } of rows) found.set(sha256, sha1);
  }
  return found;
}

/** Checks a release against the platform's own limits, before anything is sent. Throws `content_refused`. */
export function requireWithinLimits({ capabilities }: Platform, title: string, manifest: Manifest): void {
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  const refusal = refusalByLimits(capabilities, title, files);
  if (refusal !== null) throw new AppError('content_refused', refusal.message, { hint: refusal.hint });
}
