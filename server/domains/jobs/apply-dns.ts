import type { ErrorCode } from '../../../routers/schemas/errors.ts';
import { AppError } from '../../lib/errors.ts';
import { isFinal } from '../../queue/failure.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { failRecordPlan, holdRecordPlan, writeRecordPlan } from '../record-plan/write-record-plan.ts';

/**
 * The database of Fairlead was late. A person who waits for an answer is told so, but a plan goes on within seconds.
 */
const OURS: ReadonlySet<ErrorCode> = new Set(['database_busy', 'database_unavailable']);

/**
 * Writes or undoes the records of a plan; some providers take minutes until all of their servers have them. A refusal
 * by the owner's provider ends the plan with a reason for the owner, and is nothing for the operator.
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
