import type { RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import { forgetAccount, openAccount } from './account.ts';
import { AuthorityError } from './authority/authority.ts';
import { PERSISTENT } from './authority/persistent-record.ts';
import { classifyProblem, type Problem } from './authority/problems.ts';
import { authorizeNames } from './challenges/authorize.ts';
import { rehearsalSolverOf } from './challenges/solver.ts';
import type { Challenge } from './preflight.ts';

/** Shorter than a person waits for a rehearsal, including the earlier checks. */
const STAGING_MS = 15_000;

export type Tried = { accountId: string; names: readonly string[]; challenge: Challenge };

/**
 * Has the authority's staging directory validate the names, by the challenge that the renewal will use: it sees from
 * outside what we cannot. The order ends before anything is signed. Null without such a directory, and for a
 * persistent record, which names our account at the main one.
 */
export async function tryStaging(
  providers: Providers,
  { accountId, names, challenge }: Tried,
  signal: AbortSignal,
): Promise<RehearsalCheck | null> {
  const { staging: authority } = providers;
  if (authority === undefined || challenge === PERSISTENT) return null;
  const within = AbortSignal.any([signal, AbortSignal.timeout(STAGING_MS)]);
  const solver = rehearsalSolverOf(providers, challenge, accountId);
  try {
    const call = await openAccount({ ...providers, authority }, within);
    const order = await authority.read(call, await authority.order(call, { names }));
    if (order !== null) await authorizeNames({ authority }, call, solver, order);
    return check('pass', `The test system at ${authority.name} finds our proof of these names.`);
  } catch (error) {
    signal.throwIfAborted();
    if (within.aborted)
      return check('unknown', `The test system at ${authority.name} did not check these names in time.`);
    if (!(error instanceof AuthorityError)) throw error;
    return judge(providers, authority, error.problem);
  }
}

/**
 * Judges the result. A fault at the names is an obstacle for the renewal as well; the directory's own trouble is not.
 * A CAA record may allow only our account at the main directory, and was judged before.
 */
async function judge(
  { now }: Pick<Providers, 'now'>,
  { id, name }: { id: string; name: string },
  problem: Problem,
): Promise<RehearsalCheck> {
  const { kind } = classifyProblem(problem, now());
  if (kind === 'new_account') await forgetAccount(id);
  const isSeen = kind === 'change' && problem.type !== 'caa';
  return check(isSeen ? 'fail' : 'unknown', `The test system at ${name} says: ${problem.detail}`);
}

function check(verdict: RehearsalCheck['verdict'], message: string): RehearsalCheck {
  return { id: 'staging', verdict, message };
}
