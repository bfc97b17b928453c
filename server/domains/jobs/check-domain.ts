import { JobDeferred } from '../../lib/errors.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { endClaim, findToCheck, runCheck } from '../check.ts';
import { saveCheck } from '../save-check.ts';
import { isAtRest } from '../schedule.ts';

/**
 * Checks a domain again and again, quickly at first and then slower, until nothing changes any more. From then on
 * `check-domains` enqueues an occasional check.
 */
export const checkDomainJob: JobHandler<'check-domain'> = {
  async run(job) {
    const { providers, accountId, payload, signal } = job;
    const domain = await findToCheck(accountId, payload.domainId);
    if (domain === null) return;
    if (domain.expiresAt instanceof Date && domain.expiresAt <= providers.now()) {
      return job.transaction((session) => endClaim(session, providers, domain));
    }
    const found = await runCheck(providers, domain, signal);
    if (found === null) return;
    const settled = await job.transaction((session) => saveCheck(session, providers, found));
    if (settled !== null && isAtRest(settled, providers.now())) return;
    const nextAt = settled?.nextCheckAt ?? domain.nextCheckAt;
    const delayMs = Math.max(1_000, nextAt.getTime() - providers.now().getTime());
    throw new JobDeferred('Not all records and addresses are there yet', delayMs);
  },
};
