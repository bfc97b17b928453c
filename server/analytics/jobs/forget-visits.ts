import type { JobHandler } from '../../queue/handler.ts';
import { forgetVisits } from '../index.ts';

/** Deletes once a night the visits that plans no longer keep. Running it twice is harmless. */
export const forgetVisitsJob: JobHandler<'forget-visits'> = {
  async run({ providers, signal }) {
    await forgetVisits(providers.now(), signal);
  },
};
