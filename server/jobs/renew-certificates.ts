import { MINUTE_MS } from '../lib/durations.ts';
import type { JobHandler, RunningJob } from '../queue/handler.ts';
import { askForRenewal, ensureAll, renewDue } from '../services/certificates/maintenance.ts';
import { orderPublicly } from '../services/certificates/order-publicly.ts';

/**
 * What is due first, and then what asks the authority. What asks the servers of accounts are jobs of their own
 * (`remove-challenges`, `rehearse-renewals`): no account's silent server keeps the renewals of others waiting.
 */
const PARTS = [renewDue, ensureAll, orderPublicly, askForRenewal] as const;
/** The parts serve all accounts: what one does not come to is left to the next run, so that none keeps renewals waiting. */
const PART_MS = 5 * MINUTE_MS;

/** Looks what certificates need: each part is a look of its own, and what it misses is found by the next. */
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
    providers.log.warn('The maintenance of certificates goes on in its next run', {
      part: part.name,
      error: String(error),
    });
  }
}
