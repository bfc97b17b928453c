import { rowsOf } from '../../database/cursor-rows.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { renewPlan } from '../payments/renew.ts';
import { dueStep, findEnding, notifyEnd } from '../subscription/ending.ts';

/**
 * Looks after the ends of plans: it renews them, switches to the smaller plan that was chosen, warns a week and a day
 * ahead, and tells the owner when a plan has expired. The expiry itself needs no job, since every read computes it.
 */
export const expireSubscriptionsJob: JobHandler<'expire-subscriptions'> = {
  async run(job) {
    const { providers, signal } = job;
    for await (const row of rowsOf(findEnding(providers.now()))) {
      signal.throwIfAborted();
      if (dueStep(row, providers.now(), providers.payments) === null) continue;
      await job.transaction(async (session) => {
        if (!(await renewPlan(session, providers, row.accountId))) {
          await notifyEnd(session, providers, row.accountId);
        }
      });
    }
  },
};
