import type { JobHandler } from '../queue/handler.ts';
import { rehearseAll } from '../services/certificates/maintenance.ts';

/** Tries renewals weeks ahead; what it misses is found by the next run. */
export const rehearseRenewalsJob: JobHandler<'rehearse-renewals'> = {
  run: ({ providers, signal }) => rehearseAll({ providers, signal }),
};
