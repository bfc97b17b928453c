import { randomUUID } from 'node:crypto';
import type { RehearsalCheck } from '../../../routers/schemas/certificates.ts';
import type { Providers } from '../../context.ts';
import { AuthorityError } from './authority/authority.ts';
import { rehearsalSolverOf } from './challenges/solver.ts';
import type { Tried } from './try-staging.ts';

/** Shorter than a person waits for a rehearsal, including the earlier checks. */
const WRITE_MS = 10_000;

/**
 * Writes a text where the proof of each name by DNS will be and removes it again: credentials that open a zone may have
 * lost the permission to write. Null when nothing is wrong, for another challenge, and with a staging directory, whose
 * try writes a proof.
 */
export async function tryWrite(
  providers: Providers,
  { accountId, names, challenge }: Tried,
  signal: AbortSignal,
): Promise<RehearsalCheck | null> {
  if (providers.staging !== undefined || challenge !== 'dns-01') return null;
  const within = AbortSignal.any([signal, AbortSignal.timeout(WRITE_MS)]);
  const solver = rehearsalSolverOf(providers, challenge, accountId);
  const answers = names.map((name) => ({
    ...{ name: name.replace(/^\*\./, ''), challengeUrl: '', token: '', text: randomUUID() },
  }));
  try {
    await solver.put(answers, within);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    // An order waits longer for a provider that is slow to publish.
    if (within.aborted) return null;
    if (!(error instanceof AuthorityError)) throw error;
    return { id: 'challenge', verdict: 'fail', message: error.problem.detail };
  } finally {
    await solver.remove(answers, within);
  }
}
