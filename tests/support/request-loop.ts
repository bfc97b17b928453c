import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './supervised-app.ts';

/**
 * `again`: the faulty or missing answers to requests that were repeated; `failed`: the results of the repetitions that
 * were no better.
 */
export type Load = { answered: number; again: string[]; failed: string[] };
export type RequestLoopOptions = {
  everyMs: number;
  /** `turn` counts the questions; `attempt` is 1 when it is asked once more. */
  question(turn: number, attempt: 0 | 1): Promise<Answer>;
  until: AbortSignal;
};

/** Returns a client that asks one question after the other, and again, once, where the answer is no 200. */
export async function loopRequests({ everyMs, question, until }: RequestLoopOptions): Promise<Load> {
  const load: Load = { answered: 0, again: [], failed: [] };
  const outcomeOf = (turn: number, attempt: 0 | 1): Promise<string> =>
    question(turn, attempt).then(({ status, body }) => (status === 200 ? 'ok' : `${status} ${body}`), String);
  for (let turn = 0; !until.aborted; turn += 1) {
    const outcome = await outcomeOf(turn, 0);
    if (outcome !== 'ok') {
      load.again.push(outcome);
      const second = await outcomeOf(turn, 1);
      if (second !== 'ok') load.failed.push(second);
    }
    load.answered += 1;
    await wait(everyMs);
  }
  return load;
}
