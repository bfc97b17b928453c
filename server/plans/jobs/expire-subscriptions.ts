import { rowsOf } from '../../database/cursor-rows.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { renewPlan } from '../payments/renew.ts';
import { dueStep, findEnding, tellEnd } from '../subscription/ending.ts';

/**
 * Looks after the ends of plans: renews, goes on with the smaller plan that was chosen, warns a week and a day ahead, and
 * tells when time alone has ended a plan. That it has ended needs no job: it is computed on every read.
 */
export const expireSubscriptionsJob: JobHandler<'expire-subscriptions'> = {
  async run(job) {
    const { providers, signal } = job;
    for await (const row of rowsOf(findEnding(providers.now()))) {
      signal.throwIfAborted();
      if (dueStep(row, providers.now(), providers.payments) === null) continue;
      await job.transaction(async (session) => {
        if (!(await renewPlan(session, providers, row.accountId))) {
          await tellEnd(session, providers, row.accountId);
        }
      });
    }
  },
};
