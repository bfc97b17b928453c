import { platformCall } from '../../connections/platform-call.ts';
import { shownError } from '../../lib/errors.ts';
import { isFinal } from '../../queue/failure.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { endRemoval, failRemoval, findRemoving } from '../deployments/destinations.ts';

/** Takes a deployment off one of its platforms; a site that is gone already is no error. */
export const removeDestinationJob: JobHandler<'remove-destination'> = {
  async run(job) {
    const { providers, accountId, payload, signal } = job;
    const found = await findRemoving(accountId, payload);
    if (found === null) return;
    let kept: string | undefined;
    try {
      const call = platformCall(providers, found.deployment, found.destination, signal);
      kept = await providers.platforms[found.destination.platform]?.remove(call);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isFinal(error)) throw error;
      return job.transaction((session) => failRemoval(session, accountId, payload, shownError(error)));
    }
    await job.transaction((session) => endRemoval(session, accountId, payload, { isLeft: false, kept: kept ?? null }));
  },
  onDeadLetter: (session, { accountId, payload }, error) => failRemoval(session, accountId, payload, shownError(error)),
};
