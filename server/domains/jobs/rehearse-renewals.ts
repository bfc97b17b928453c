import type { JobHandler } from '../../queue/handler.ts';
import { rehearseAll } from '../certificates/maintenance.ts';

/** Rehearses renewals weeks ahead; the next run finds what this one misses. */
export const rehearseRenewalsJob: JobHandler<'rehearse-renewals'> = {
  run: ({ providers, signal }) => rehearseAll({ providers, signal }),
};
