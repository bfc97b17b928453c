import type { Certified } from '../../../connections/challenge-records.ts';
import type { Providers } from '../../../context.ts';
import { ChallengeAnswerModel } from '../../../database/models/domains/challenge-answer.ts';
import { newId } from '../../../database/mongo.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import type { ChallengeSolver } from '../authority/challenges.ts';
import { PERSISTENT } from '../authority/persistent-record.ts';
import { createDnsSolver } from './dns-solver.ts';

/** Longer than the slowest order waits for its validation; leftovers of a crash expire. */
const KEPT_MS = 8 * HOUR_MS;
/** Added to a person's limit (`ASK_MS`), it is still shorter than the browser waits: 30 s (src/api/links.ts). */
const REMOVAL_MS = 4_000;

/**
 * Answers HTTP-01 from the database, where every process of every instance finds the answers
 * (server/host/challenge-answers.ts).
 */
export function createHttpSolver({ now }: Pick<Providers, 'now'>): ChallengeSolver {
  return {
    type: 'http-01',
    async put(answers) {
      const expiresAt = new Date(now().getTime() + KEPT_MS);
      for (const { token, text } of answers) {
        await ChallengeAnswerModel.updateOne({ _id: token }, { $set: { text, expiresAt } }, { upsert: true });
      }
    },
    async remove(answers) {
      await ChallengeAnswerModel.deleteMany({ _id: { $in: answers.map(({ token }) => token) } });
    },
  };
}

/** Returns the solver of this challenge for a certificate. */
export function solverOf(
  providers: Providers,
  challenge: ChallengeSolver['type'],
  certified: Certified,
): ChallengeSolver {
  if (challenge === PERSISTENT) return PERSISTENT_SOLVER;
  return challenge === 'dns-01' ? createDnsSolver(providers, certified) : createHttpSolver(providers);
}

/** Returns a solver for a rehearsal, which always has some time to remove its answers: the signal ends the rest. */
export function rehearsalSolverOf(
  providers: Providers,
  challenge: ChallengeSolver['type'],
  accountId: string,
): ChallengeSolver {
  // An order of the same certificate may have records in its zone as well: each removes its own.
  const solver = solverOf(providers, challenge, { accountId, certificateId: `rehearsal ${newId()}` });
  const { signal: unending } = new AbortController();
  return { ...solver, remove: (answers) => solver.remove(answers, unending, REMOVAL_MS) };
}

/** The record is permanent: nothing is put in place or removed. */
export const PERSISTENT_SOLVER: ChallengeSolver = {
  type: PERSISTENT,
  put: async () => undefined,
  remove: async () => undefined,
};
