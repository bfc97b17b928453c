import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { Providers } from '../context.ts';
import type { DeploymentDoc } from '../database/models/publishing/deployment.ts';
import type { DestinationDoc } from '../database/models/publishing/destination.ts';
import type { PlatformCall, PlatformRef } from '../publishing/platforms/platform.ts';
import type { RunningJob } from '../queue/handler.ts';
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

/** The fields are free in their schemas; only references that an adapter named are ever written to them. */
export function storedRef(stored: unknown): PlatformRef | null {
  return (stored ?? null) as PlatformRef | null;
}
