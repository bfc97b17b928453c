import type { JobHandler } from '../../queue/handler.ts';
import { removeLeftRecords } from '../certificates/maintenance.ts';

/** Removes leftover challenge records from the zones of accounts; the next run finds what this one misses. */
export const removeChallengesJob: JobHandler<'remove-challenges'> = {
  run: ({ providers, signal }) => removeLeftRecords({ providers, signal }),
};
