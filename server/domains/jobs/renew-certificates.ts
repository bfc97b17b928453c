import { MINUTE_MS } from '../../lib/durations.ts';
import type { JobHandler, RunningJob } from '../../queue/handler.ts';
import { askForRenewal, ensureAll, renewDue } from '../certificates/maintenance.ts';
import { orderPublicly } from '../certificates/order-publicly.ts';

/**
 * Certificates that are due come first, then the questions to the authority. Work that depends on the servers of
 * accounts has jobs of its own (`remove-challenges`, `rehearse-renewals`), so that no silent server delays the
 * renewals of others.
 */
const PARTS = [renewDue, ensureAll, orderPublicly, askForRenewal] as const;
/** Each part serves all accounts and leaves the rest to the next run after this time, so that none delays renewals. */
const PART_MS = 5 * MINUTE_MS;

/** Does what certificates need, part by part; the next run finds what this one misses. */
export const renewCertificatesJob: JobHandler<'renew-certificates'> = {
  async run(job) {
    for (const part of PARTS) await runPart(part, job);
  },
};

async function runPart(
  part: (typeof PARTS)[number],
  { providers, signal }: Pick<RunningJob, 'providers' | 'signal'>,
): Promise<void> {
  const end = AbortSignal.timeout(PART_MS);
  try {
    await part({ providers, signal: AbortSignal.any([signal, end]) });
  } catch (error) {
    signal.throwIfAborted();
    if (!end.aborted) throw error;
    providers.log.warn('Certificate maintenance continues in its next run', {
      part: part.name,
      error: String(error),
    });
  }
}
