import type { Providers } from '../../../context.ts';
import { type AuthorityCall, AuthorityError, type Authorization, type Order } from '../authority/authority.ts';
import { answerTo, type ChallengeAnswer, type ChallengeSolver, challengeOf } from '../authority/challenges.ts';
import { PERSISTENT } from '../authority/persistent-record.ts';
import { ownProblem, type Problem } from '../authority/problems.ts';

/**
 * Proves to the authority that the names of an order are ours, as far as it does not know that already; the answers
 * are removed again. Throws `AuthorityError` that says which name failed and how.
 */
export async function authorizeNames(
  { authority, faults }: Pick<Providers, 'authority' | 'faults'>,
  call: AuthorityCall,
  solver: ChallengeSolver,
  order: Order,
  first?: string,
): Promise<void> {
  if (order.status === 'invalid') throw new AuthorityError(failureOf(order));
  const isOpen = order.status === 'pending';
  const inTurn = [...order.authorizations].sort((a, b) => Number(b.name === first) - Number(a.name === first));
  const answers = isOpen ? inTurn.flatMap((its) => answersTo(its, solver, call)) : [];
  try {
    if (answers.length > 0) await solver.put(answers, call.signal);
    await faults?.at('certificate:answerable');
    // One name after the other: a fault that all of them have costs one failed validation, and authorities allow few.
    // The one without which nothing is ordered comes first: when another fails, it is not at fault.
    let asked: string | undefined;
    for (const { challengeUrl } of answers) {
      if (asked !== undefined && !mayGoOn(await authority.awaitValidation(call, order.url, asked))) break;
      await authority.answer(call, challengeUrl);
      asked = challengeUrl;
    }
    await faults?.at('certificate:answered');
    const settled = isOpen ? await authority.awaitValidation(call, order.url) : order;
    await faults?.at('certificate:validated');
    if (settled === null || settled.status === 'invalid') throw new AuthorityError(failureOf(settled));
  } finally {
    await solver.remove(answers, call.signal);
  }
}

/** An order is read before its authorizations, so that one of these may have failed and the order not yet. */
function mayGoOn(order: Order | null): boolean {
  return order?.status === 'pending' && order.authorizations.every(({ status }) => status !== 'invalid');
}

function answersTo(authorization: Authorization, solver: ChallengeSolver, call: AuthorityCall): ChallengeAnswer[] {
  if (authorization.status !== 'pending') return [];
  const challenge = challengeOf(authorization, solver.type);
  if (challenge === null) {
    // The authority no longer offers it; the next order does without (keepPersistIssuers).
    if (solver.type === PERSISTENT)
      throw new AuthorityError(ownProblem('orderNotReady', 'The authority no longer accepts a persistent record.'));
    const how = authorization.isWildcard
      ? 'a wildcard can only be proved through DNS'
      : `it does not offer ${solver.type}`;
    throw new AuthorityError(ownProblem('unsupportedIdentifier', `${authorization.name}: ${how}.`));
  }
  // A challenge that was answered before a crash is already being validated; answering it again changes nothing.
  return [answerTo(authorization, challenge, call.accountKey)];
}

/** Returns the failure. The order itself says little: the error is at the challenge of the name. */
function failureOf(order: Order | null): Problem {
  const failed = (order?.authorizations ?? []).flatMap(({ name, challenges }) =>
    challenges.flatMap(({ problem }) => (problem === null ? [] : [{ name, problem }])),
  );
  const [first] = failed;
  if (first === undefined) return order?.problem ?? ownProblem('orderNotReady', 'The order is gone.');
  const subproblems = failed.map(({ name, problem }) => ({ name, type: problem.type, detail: problem.detail }));
  return { ...first.problem, detail: `${first.name}: ${first.problem.detail}`, subproblems };
}
