import {
  type Certified,
  putTexts,
  removeChallengeRecords,
  saveChallengeRecords,
} from '../../../connections/challenge-records.ts';
import {
  type ChallengeTarget,
  findChallengeTargets,
  whyNotHeld,
  zonesOf,
} from '../../../connections/challenge-zones.ts';
import type { Providers } from '../../../context.ts';
import { MINUTE_MS } from '../../../lib/durations.ts';
import { AppError } from '../../../lib/errors.ts';
import { AuthorityError } from '../authority/authority.ts';
import { type ChallengeSolver, txtSetsOf } from '../authority/challenges.ts';
import { ownProblem } from '../authority/problems.ts';

/** The limit for all servers together: providers take seconds to publish a record on all of theirs. */
const PUT_MS = 3 * MINUTE_MS;
/** The number of quick checks that fit in when each is answered at once. */
const QUICK_LOOKS = 10;
const LOOKS_MAX = 44;
const QUICK_MS = 1_000;
const SLOW_MS = 5_000;
/** A server that is silent for this many checks no longer counts, or a dead secondary would block for ever. */
const SILENT_LOOKS = 5;

/**
 * Answers DNS-01 in the zone of a DNS connection of the account. The authority is called once every name server of the
 * zone shows the answer, since it may ask any of them. Values of others at the same name stay.
 */
export function createDnsSolver(providers: Providers, certified: Certified): ChallengeSolver {
  const { accountId, certificateId } = certified;
  return {
    type: 'dns-01',
    put: (answers, signal) =>
      withDnsProblems(signal, async (within) => {
        const names = answers.map((answer) => answer.name);
        const targets = await findChallengeTargets(providers, { accountId, names }, within);
        const missing = targets.find(({ held }) => held === null);
        if (missing !== undefined) throw new AuthorityError(noZone(missing));
        const texts = txtSetsOf(answers);
        const writes = zonesOf(targets).map((zone) => ({ ...zone, sets: setsAt(zone.targets, texts) }));
        for (const write of writes) await saveChallengeRecords(providers, certified, write);
        await providers.faults?.at('certificate:challenge-kept');
        for (const write of writes) await putTexts(providers, certified, write, within);
        await providers.faults?.at('certificate:challenge-written');
        for (const { sets } of writes) await untilSeen(providers, sets, { signal, within });
      }),
    remove: (_answers, signal, withinMs) =>
      removeChallengeRecords(providers, { accountId, certificateId }, signal, { withinMs }),
  };
}

/** Several challenges may point to one name, which then has all their answers. */
function setsAt(targets: readonly ChallengeTarget[], texts: ReadonlyMap<string, readonly string[]>) {
  const sets = new Map<string, readonly string[]>();
  for (const { challenge, at } of targets) sets.set(at, [...(sets.get(at) ?? []), ...(texts.get(challenge) ?? [])]);
  return sets;
}

/** Refuses without writing anything: a record by hand would have to be renewed each time. */
function noZone(target: ChallengeTarget) {
  return ownProblem('dnsZone', whyNotHeld(target));
}

/** Turns an error or a timeout of a provider into the certificate's problem, so that its page shows it. */
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

/**
 * Waits until all servers show the answer. Throws `AuthorityError` with the name of a slow server, once it was checked
 * often enough or `within` is over.
 */
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
    // A check that was cut off says nothing about the servers.
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
    `${who} the TXT record of ${name}, which was written through your DNS connection. Check that your registrar lists the name servers of that zone.`,
  );
}
