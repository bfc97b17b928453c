import type { ErrorCode } from '../../routers/schemas/errors.ts';
import { AppError } from '../lib/errors.ts';
import { isFinal } from '../queue/failure.ts';
import type { JobHandler } from '../queue/handler.ts';
import { failRecordPlan, holdRecordPlan, writeRecordPlan } from '../services/domains/record-plan/write-record-plan.ts';

/** Our own database was late. Its words are for whoever waits for an answer; a plan goes on in seconds. */
const OURS: ReadonlySet<ErrorCode> = new Set(['database_busy', 'database_unavailable']);

/**
 * Writes the records of a plan, or puts them back: some providers take minutes until all of their servers have them. What
 * the owner's provider refuses ends the plan with the reason, which its owner reads: nothing for the operator.
 */
export const applyDnsJob: JobHandler<'apply-dns'> = {
  async run({ providers, accountId, payload, signal, transaction }) {
    const { planId } = payload;
    try {
      await writeRecordPlan({ providers, accountId, signal, transaction, planId });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (isFinal(error)) return transaction((session) => failRecordPlan(session, { accountId, planId }, error));
      if (!OURS.has(error.code)) await transaction((session) => holdRecordPlan(session, { accountId, planId }, error));
      throw error;
    }
  },
  async onDeadLetter(session, { accountId, payload }, error) {
    await failRecordPlan(session, { accountId, planId: payload.planId }, error);
  },
};
