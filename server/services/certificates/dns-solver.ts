import { AuthorityError } from '../../certificates/authority.ts';
import { type ChallengeSolver, txtSetsOf } from '../../certificates/challenges.ts';
import { ownProblem } from '../../certificates/problems.ts';
import { MINUTE_MS } from '../../durations.ts';
import { AppError } from '../../errors.ts';
import type { Providers } from '../../service-context.ts';
import { findHeldZone } from '../connections/dns-connections.ts';
import { type Certified, keepChallengeRecords, removeChallengeRecords, writeTexts } from './challenge-records.ts';

/** In all, however silent anybody is: providers take seconds to have a record at all of their servers. */
const PUT_MS = 3 * MINUTE_MS;
/** As many as fit in, where each is answered at once. */
const QUICK_LOOKS = 10;
const LOOKS_MAX = 44;
const QUICK_MS = 1_000;
const SLOW_MS = 5_000;
/** A server that says nothing for so many looks proves nothing, as a dead secondary would for ever. */
const SILENT_LOOKS = 5;

/**
 * Answers DNS-01 in the zone that a DNS connection of the account holds. The authority is not asked before every name
 * server of the zone shows the answer: it may ask any of them. What others have at the same name stays.
 */
export function createDnsSolver(providers: Providers, certified: Certified): ChallengeSolver {
  const { accountId, certificateId } = certified;
  return {
    type: 'dns-01',
    put: (answers, signal) =>
      withDnsProblems(signal, async (within) => {
        const name = shortestOf(answers.map((answer) => answer.name));
        const held = await findHeldZone(providers, { accountId, name }, within);
        if (held === null) throw new AuthorityError(noZone(name));
        const sets = txtSetsOf(answers);
        const place = { accountId, connection: held.connection, zone: held.zone };
        await keepChallengeRecords(providers, certified, { ...held, sets });
        await providers.faults?.at('certificate:challenge-kept');
        await writeTexts(providers, place, sets, 'add', within);
        await providers.faults?.at('certificate:challenge-written');
        await untilSeen(providers, sets, { signal, within });
      }),
    remove: (_answers, signal) => removeChallengeRecords(providers, { accountId, certificateId }, signal),
  };
}

/** The zone of the one is the zone of all: a certificate is for a name and what is below it. */
export function shortestOf(names: readonly string[]): string {
  const plain = names.map((name) => name.replace(/^\*\./, ''));
  return plain.reduce((one, other) => (other.length < one.length ? other : one), plain[0] ?? '');
}

/** Nothing is written, and a record by hand would be asked for at each renewal. */
export function noZone(name: string) {
  const detail = `None of your DNS connections holds ${name}. Connect the provider that keeps its records, or let the name point here.`;
  return ownProblem('dnsZone', detail);
}

/** What a provider answers, or that it does not in time, becomes the certificate's problem, so that its page tells it. */
async function withDnsProblems<T>(signal: AbortSignal, work: (within: AbortSignal) => Promise<T>): Promise<T> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(PUT_MS)]);
  try {
    return await work(within);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AuthorityError) throw error;
    if (within.aborted) {
      const said = `Your DNS provider did not take the proof within ${PUT_MS / MINUTE_MS} minutes.`;
      throw new AuthorityError(ownProblem('dnsConnection', said), error);
    }
    if (!(error instanceof AppError)) throw error;
    const detail = [error.message, error.hint].filter((text) => text !== undefined).join(' ');
    throw new AuthorityError(ownProblem('dnsConnection', detail, error.retryAfterMs ?? null), error);
  }
}

type Ends = { signal: AbortSignal; within: AbortSignal };

async function untilSeen(
  providers: Pick<Providers, 'dns' | 'wait'>,
  sets: ReadonlyMap<string, readonly string[]>,
  ends: Ends,
): Promise<void> {
  for (const [name, values] of sets) await untilSeenAt(providers, name, values, ends);
}

/** Throws `AuthorityError` that names the server that is behind, once it was looked at often enough or `within` is over. */
async function untilSeenAt(
  { dns, wait }: Pick<Providers, 'dns' | 'wait'>,
  name: string,
  values: readonly string[],
  { signal, within }: Ends,
): Promise<void> {
  let server: string | undefined;
  for (let look = 0; look <= LOOKS_MAX && !within.aborted; look += 1) {
    const answers = await dns.askNameServers(name, 'TXT', within).then(
      (found) => found.answers,
      () => [],
    );
    // What was cut off says nothing of the servers.
    if (within.aborted) break;
    const behind = answers.find((answer) =>
      answer.values === null ? look < SILENT_LOOKS : !values.every((value) => answer.values?.includes(value)),
    );
    if (behind === undefined && answers.some((answer) => answer.values !== null)) return;
    server = behind?.server;
    // It ends early with `within`, and so does the loop.
    await wait(look < QUICK_LOOKS ? QUICK_MS : SLOW_MS, within).catch(() => undefined);
  }
  signal.throwIfAborted();
  throw new AuthorityError(unseen(name, server));
}

function unseen(name: string, server: string | undefined) {
  const who = server === undefined ? 'No name server answers for' : `The name server ${server} does not show`;
  return ownProblem(
    'dnsUnseen',
    `${who} the TXT record of ${name}, which was written through your DNS connection. Is that the zone that your registrar names?`,
  );
}
