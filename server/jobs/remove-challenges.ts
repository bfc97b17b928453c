import type { JobHandler } from '../queue/handler.ts';
import { removeLeftRecords } from '../services/certificates/challenge-records.ts';

/** Takes out of the zones of accounts what proofs have left there; what it misses is found by the next run. */
export const removeChallengesJob: JobHandler<'remove-challenges'> = {
  run: ({ providers, signal }) => removeLeftRecords({ providers, signal }),
};
